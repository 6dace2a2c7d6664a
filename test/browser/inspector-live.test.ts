import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  createEchoPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
} from "../../packages/palimpsest/src/simulator/index.js";
import { makeFolders, startCommand, type Folders, type StartedCommand } from "../process/agent-command.js";
import { setScreen } from "../process/screen-stage.js";
import { chromiumPath, launchChromium } from "./chromium.js";
import { openInspector } from "./inspector-page.js";

const tab = (page: Page, name: string) => page.locator(".tabs a", { hasText: name });
const fact = (page: Page, name: string) => page.locator(".fact", { hasText: name }).locator("dd");

/** The command, ended with its test; what it has said so far. */
function started(at: Folders, args: readonly string[]): StartedCommand & { readonly said: () => string } {
  const command = startCommand(at, args);
  onTestFinished(async () => {
    command.child.kill("SIGKILL");
    await command.ended;
  });
  let said = "";
  for (const stream of [command.child.stdout, command.child.stderr])
    stream?.on("data", (part: Buffer | string) => (said += part.toString()));
  return { ...command, said: () => said };
}

const addressIn = (text: string): string => /http:\S+#token=[\w-]{32}$/m.exec(text)?.[0] ?? "";

describe.skipIf(chromiumPath === undefined)(
  "inspector beside what runs (skipped where no Chromium is installed)",
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser.close());
    afterEach(async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    });

    it("a running agent: its requests as they were sent, its subagent's in a lane, what it says next, and undo by a button", async () => {
      const step = (tool: string, input: Readonly<Record<string, unknown>>) => ({
        text: "",
        calls: [{ tool, input }],
      });
      const count = (at: number) => [
        step("Bash", { command: `seq -f 'filler ${at} line %g' 1 1200` }),
        { text: `Counted ${at}.` },
      ];
      const { open } = await setScreen([
        step("Agent", { description: "look", prompt: "Which animal is it?", subagent_type: "explore" }),
        { text: "A walrus, then." },
        ...count(1),
        ...count(2),
        { text: "On it goes." },
      ]);
      const screen = await open({ rows: 50 });
      for (const [prompt, answer] of [
        ["find the animal", "A walrus, then."],
        ["count 1", "Counted 1."],
        ["count 2", "Counted 2."],
      ] as const) {
        await screen.say(prompt);
        await screen.until(answer);
      }
      await screen.say("/compact");
      await screen.until(/compacted [\d.]+K → [\d.]+K/);
      await screen.say("/inspect");
      await screen.until(/#token=[\w-]{32}\n/);
      const { page, faults } = await openInspector(browser, addressIn(screen.all()));
      await page.locator(".conversation-row").click();
      await page.locator("#timeline-plot canvas").waitFor();
      expect(await page.locator(".conversation-head .badge.live").textContent()).toBe("live");
      const lanes = await page.locator(".lane-choice option").allTextContents();
      expect(lanes.find((name) => name.includes("explore agent-"))).toMatch(/1 request/);
      await page.locator(".as-table summary").click();
      expect(await page.locator(".as-table thead").first().textContent()).toContain("Request");

      await tab(page, "Requests").click();
      await page.locator(".request-row", { hasText: "explore agent-" }).click();
      await page.locator(".block", { hasText: "Which animal is it?" }).first().waitFor();
      expect(await page.locator(".request").textContent()).toContain("as they were sent");
      const before = Number(await fact(page, "Requests").textContent());
      await screen.say("go on");
      await screen.until("On it goes.");
      await expect.poll(async () => Number(await fact(page, "Requests").textContent())).toBe(before + 1);

      await tab(page, "Compactions").click();
      await page.locator(".side-item").first().waitFor();
      await page.getByRole("button", { name: "Undo this compaction …" }).click();
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await screen.until("The last compaction is undone");
      await page.locator(".difference.good", { hasText: "undone" }).waitFor();
      expect(faults).toEqual([]);
      await screen.say("/exit");
      await screen.ended;
      await page.locator(".connection.lost").waitFor();
    });

    it("a running gateway: each request as it was sent, and the next one while the page is open", async () => {
      const simulator = await startSimulatorServer({
        app: createSimulatorApp({ simulator: createSimulator({ player: createEchoPlayer() }) }),
        port: 0,
      });
      onTestFinished(() => simulator.close());
      const at = await makeFolders("inspector-gateway");
      onTestFinished(() => at.remove());
      const gateway = started(at, ["gateway", "--inspect", "--upstream", simulator.url]);
      await expect
        .poll(() => [addressIn(gateway.said()), /listening on \S+/.test(gateway.said())])
        .toEqual([expect.stringContaining("#token="), true]);
      const [, address = ""] = /listening on (\S+)/.exec(gateway.said()) ?? [];
      const said: { role: string; content: string }[] = [];
      const ask = async (text: string): Promise<void> => {
        said.push({ role: "user", content: text });
        const response = await fetch(`${address}/anthropic/v1/messages`, {
          method: "POST",
          headers: {
            "x-api-key": "any",
            "anthropic-version": "2023-06-01",
            "content-type": "application/json",
          },
          body: JSON.stringify({
            model: "claude-haiku-4-5",
            max_tokens: 50,
            system: "You are brief. <img src=x onerror=alert(1)>",
            messages: said,
          }),
        });
        const { content } = (await response.json()) as { content: readonly { text: string }[] };
        said.push({ role: "assistant", content: content[0]?.text ?? "" });
      };
      await ask("one question");
      const { page, faults } = await openInspector(browser, addressIn(gateway.said()));
      await page.locator(".conversation-row", { hasText: "one question" }).click();
      await page.locator("#timeline-plot canvas").waitFor();
      await ask("another question");
      await expect.poll(() => fact(page, "Requests").textContent()).toBe("2");
      await tab(page, "Requests").click();
      await page.locator(".request-row").nth(1).click();
      await page.locator(".block", { hasText: "another question" }).first().waitFor();
      expect(await page.locator(".request").textContent()).toContain("as they were sent");
      expect(
        await page.locator(".block", { hasText: "<img src=x onerror=alert(1)>" }).count(),
      ).toBeGreaterThan(0);
      expect(faults).toEqual([]);
      gateway.child.kill("SIGINT");
      await page.locator(".connection.lost").waitFor();
    });

    it("the example: every view of it", async () => {
      const at = await makeFolders("inspector-example");
      onTestFinished(() => at.remove());
      const command = started(at, ["inspect", "--example", "--no-open"]);
      await expect.poll(() => addressIn(command.said())).not.toBe("");
      const { page, faults } = await openInspector(browser, addressIn(command.said()));
      expect(await page.locator(".conversation-row").count()).toBeLessThan(2);
      await page.locator(".conversation-row").click();
      await page.locator("#timeline-plot canvas").waitFor();
      expect(await page.locator(".lane-choice option", { hasText: "agent-" }).count()).toBe(1);
      await tab(page, "Requests").click();
      await page.locator(".request-row").nth(4).click();
      await page.locator(".block-line").nth(3).waitFor();
      expect(await page.locator(".request").textContent()).toContain("as they were sent");
      await tab(page, "Compactions").click();
      await page.locator(".side-item").first().waitFor();
      await tab(page, "Items and cost").click();
      await page.locator("tbody tr").nth(3).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("the");
      await page.locator(".hit mark").first().waitFor();
      // Also in a request as it was sent, a hit leads to its block.
      await page.locator(".hit").first().click();
      await page.locator(".request .block-text pre").first().waitFor();
      expect(faults).toEqual([]);
    });
  },
);

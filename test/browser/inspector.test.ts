import axe from "axe-core";
import { appendFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { recordedUsage } from "../../packages/palimpsest/src/inspector/testing/recorded-usage.js";
import { HOSTILE } from "../../packages/palimpsest/src/replay/testing/made-up-report.js";
import { chromiumPath, launchChromium } from "./chromium.js";
import { inspectorOf, openInspector, type OpenPage } from "./inspector-page.js";
import { recordingLines } from "./made-up-recording.js";

/** Tabs of a conversation after its requests, and what each shows. */
const laterTabs = [
  ["Compactions", ".side-item, .empty"],
  ["Items and cost", "tbody tr"],
  ["What if", "form select option"],
  ["Search", ".search input"],
] as const;

const corpus = process.env["PALIMPSEST_CORPUS"];
const screenshots = process.env["PALIMPSEST_SCREENSHOTS"];

const KEY = "sk-ant-api03-0123456789abcdefghij";

/** Ten megabytes on a line, boundaries that nobody wrote, and names that every object has. */
function* forgedLines(): Generator<string> {
  let parentUuid: string | null = null;
  const line = (uuid: string, fields: object): string => {
    const text = JSON.stringify({
      uuid,
      parentUuid,
      sessionId: "s",
      timestamp: "2026-11-18T10:00:00.000Z",
      ...fields,
    });
    parentUuid = uuid;
    return text;
  };
  const user = (uuid: string, content: unknown, more: object = {}): string =>
    line(uuid, { type: "user", message: { role: "user", content }, ...more });
  const answer = (uuid: string, name: string): string =>
    line(uuid, {
      type: "assistant",
      message: {
        id: uuid,
        role: "assistant",
        model: "constructor",
        content: [
          { type: "tool_use", id: name, name, input: JSON.parse('{"__proto__":{"polluted":1}}') as object },
        ],
        usage: { input_tokens: 5, output_tokens: 1 },
      },
    });
  const boundary = (uuid: string, compactMetadata: unknown): string =>
    line(uuid, { type: "system", subtype: "compact_boundary", content: HOSTILE, compactMetadata });
  yield user("u1", `Forged: ${"<b>0123456789</b>".repeat(620_000)}`);
  yield answer("a1", "__proto__");
  yield user("u2", [{ type: "tool_result", tool_use_id: "__proto__", content: HOSTILE }]);
  yield boundary("b1", {
    trigger: HOSTILE,
    preTokens: "many",
    preservedSegment: { headUuid: "a1", tailUuid: "b1" },
  });
  yield user("u3", `A summary ${HOSTILE}`, { isCompactSummary: true });
  yield answer("a2", "constructor");
  yield boundary("__proto__", 7);
  yield user("toString", HOSTILE);
  yield answer("a3", "hasOwnProperty");
}

/** What can be done with a pointer on what is shown, and not without one. */
const outOfReach = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll("a, button, input, select, summary, [role=button], [onclick]")]
    .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex < 0 && !one.hasAttribute("data-row"))
    .map((one) => one.outerHTML.slice(0, 200))`);

/** What can be used on what is shown, and the Tab key did not come to on its way through all of it. */
async function missedByTab(page: Page): Promise<unknown> {
  await page.evaluate("globalThis.reached = new Set(); document.activeElement?.blur()");
  let isRound = false;
  for (let times = 0; times < 400 && !isRound; times += 1) {
    await page.keyboard.press("Tab");
    isRound = (await page.evaluate(`(() => {
      const one = document.activeElement;
      if (one === null || one === document.body) return false;
      if (reached.has(one)) return true;
      reached.add(one);
      return false;
    })()`)) as boolean;
  }
  return page.evaluate(`[...document.querySelectorAll("a, button, input, select, summary, [tabindex='0']")]
    .filter((one) => one.checkVisibility() && !one.disabled && !reached.has(one))
    .map((one) => one.outerHTML.slice(0, 200))`);
}

/** What axe-core says is wrong and serious, and where. In other colours only those are another matter. */
async function seriousFaults(page: Page, only: "all" | "colours" = "all"): Promise<readonly string[]> {
  // Through the debugger, as a person's own tools would: the page's policy lets no script in.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  const rules = only === "all" ? "" : `, runOnly: ["color-contrast"]`;
  return (await page.evaluate(`axe.run(document, { resultTypes: ["violations"]${rules} }).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary)),
  )`)) as readonly string[];
}

describe.skipIf(chromiumPath === undefined)("inspector (skipped where no Chromium is installed)", () => {
  let browser: Browser;
  let running: Awaited<ReturnType<typeof inspectorOf>>;
  beforeAll(async () => {
    running = await inspectorOf({
      "forged.jsonl": forgedLines(),
      "usual.jsonl": recordingLines({ rounds: 90, compactsAfter: 40 }),
      "hostile.jsonl": recordingLines({
        rounds: 6,
        spice: `${HOSTILE} {{7*7}} \${alert(3)} __proto__ \u001b[31m ${KEY}`,
      }),
    });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await running.close();
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  const open = (options: BrowserContextOptions = {}): Promise<OpenPage> =>
    openInspector(browser, running.inspector.url, options);

  const openUsual = async (options: BrowserContextOptions = {}): Promise<OpenPage> => {
    const opened = await open(options);
    await opened.page
      .locator(".conversation-row", { hasText: "Make the parser stop" })
      .filter({ hasNotText: "alert" })
      .click();
    await opened.page.locator("#timeline-plot canvas").waitFor();
    return opened;
  };

  const shoot = async (page: Page, name: string): Promise<void> => {
    if (screenshots !== undefined)
      await page.screenshot({ path: join(screenshots, `inspector-${name}.png`) });
  };

  const overflow = (page: Page): Promise<unknown> =>
    page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

  it("takes the token out of the address, keeps it for the tab, and says what is missing without it", async () => {
    const { page, faults } = await open();
    await page.locator(".conversation-row").first().waitFor();
    expect(page.url()).not.toContain("token");
    await page.reload();
    await page.locator(".conversation-row").first().waitFor();
    const { page: stranger } = await openInspector(browser, new URL("/", running.inspector.url).href);
    expect(await stranger.locator("h1").textContent()).toContain("lacks its token");
    expect(faults).toEqual([]);
  });

  it("goes from the list to a request and back by keys alone", async () => {
    const { page, faults } = await open();
    await page.locator(".conversation-row").nth(1).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(
      await page
        .locator(".conversation-row")
        .first()
        .evaluate((row) => row.matches(":focus")),
    ).toBe(true);
    await page.keyboard.press("Enter");
    await page.locator("#timeline-plot canvas").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.locator(".request-row").nth(3).waitFor();
    for (const key of ["j", "j", "Enter"]) await page.keyboard.press(key);
    await page.locator(".request h2", { hasText: "Request 1 " }).waitFor();
    await page.keyboard.press("]");
    await page.locator(".request h2", { hasText: "Request 2 " }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".choose").waitFor();
    await page.keyboard.press("?");
    await page.locator("dialog.help").waitFor({ state: "visible" });
    await page.keyboard.press("Escape");
    await page.locator("dialog.help").waitFor({ state: "hidden" });
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.locator('.tabs a[aria-current="page"]', { hasText: "Compactions" }).waitFor();
    await page.keyboard.press("/");
    await page.locator(".search input:focus").waitFor();
    for (const key of ["Escape", "Escape", "Escape"]) await page.keyboard.press(key);
    await page.locator(".conversation-row").first().waitFor();
    expect(faults).toEqual([]);
  });

  it("takes all that is typed right after the key that opens the search, however busy the page is", async () => {
    const { page } = await openUsual();
    // As on a machine that draws nothing for a while.
    await page.evaluate("window.requestAnimationFrame = () => 0");
    await page.keyboard.press("/");
    await page.keyboard.type("part7");
    expect(await page.locator(".search input").inputValue()).toBe("part7");
    await page.locator(".hit mark", { hasText: "part7" }).first().waitFor();
  });

  it("shows the timeline: values by pointer and by keys, a stretch closer, a click that opens, a table", async () => {
    const { page } = await openUsual();
    await shoot(page, "timeline");
    const readings = page.locator("#timeline-plot .readings");
    await page.locator("#timeline-plot .u-over").hover({ position: { x: 400, y: 100 } });
    expect(await readings.textContent()).toMatch(/Request \d+ · .*input tokens.*cost\$0\.\d+/);
    await page.locator("#timeline-plot").focus();
    await page.keyboard.press("End");
    expect(await readings.textContent()).toContain("Request 89");
    await page.keyboard.press("+");
    await expect.poll(() => page.locator(".zoom .note").textContent()).toMatch(/requests 22 to 67 of 90/);
    await page.keyboard.press("0");
    await expect.poll(() => page.locator(".zoom .note").textContent()).toBe("90 requests");
    await page.locator(".as-table summary").click();
    await expect.poll(() => page.locator(".as-table tbody tr").count()).toBe(90);
    await page.locator("#timeline-plot .u-over").click({ position: { x: 3, y: 100 } });
    await page.locator(".request h2", { hasText: "Request 0 " }).waitFor();
    await page.goBack();
    await page.locator("#timeline-plot canvas").waitFor();
  });

  it("shows a request block by block, and the text of a block as text", async () => {
    const { page, faults } = await openUsual();
    await page.locator(".tabs a", { hasText: "Requests" }).click();
    await page.locator(".request-row").nth(6).click();
    await page.locator(".block-line").nth(3).waitFor();
    await shoot(page, "request");
    const read = page.locator(".block", { hasText: "tool results" }).first();
    expect(await read.locator(".cache-sign .unseen").textContent()).toBe("read");
    await read.locator(".block-line").click();
    await page.locator(".block-text pre", { hasText: "export const part" }).waitFor();
    expect(await page.locator(".block-foot").first().textContent()).toMatch(/of [\d,]+ characters/);
    expect(faults).toEqual([]);
  });

  it("shows a compaction before and after, items and cost, and finds what was compacted away", async () => {
    const { page, faults } = await openUsual();
    await page.locator(".tabs a", { hasText: "Compactions" }).click();
    await page.locator(".side-item.fate-summarised").first().waitFor();
    expect(await page.locator(".pills a").count()).toBe(2);
    expect(await page.locator(".summary-text").textContent()).toContain("the parser stops now");
    expect(await page.locator(".side").nth(1).locator(".fate-summary").count()).toBe(1);
    await shoot(page, "compaction");
    await page.locator(".tabs a", { hasText: "Items and cost" }).click();
    const tool = page.locator("tbody tr", { has: page.locator("th", { hasText: /^Read$/ }) });
    expect(await tool.locator(".number").last().textContent()).toMatch(/^\$\d/);
    expect(await page.locator("tr", { hasText: "claude-opus-4-5" }).locator("td").first().textContent()).toBe(
      "90",
    );
    await page.keyboard.press("/");
    await page.keyboard.type("part7 = 7;");
    await page.locator(".hit mark").first().waitFor();
    // What was found for the first letters may stand there until then.
    await expect.poll(() => page.locator(".hit mark").first().textContent()).toBe("part7 = 7;");
    expect(await page.locator(".hit").first().textContent()).toContain("compacted away");
    await page.locator(".hit").first().click();
    // Its block is opened and seen, wherever in the request it stands.
    await page.locator(".request .block-text pre", { hasText: "part7 = 7;" }).waitFor();
    const opened = page.locator(".block", { has: page.locator(".block-text") });
    await expect
      .poll(async () => {
        const box = await opened.boundingBox();
        return box !== null && box.y < 900 && box.y + box.height > 0;
      })
      .toBe(true);
    expect(faults).toEqual([]);
  });

  it("shows what is being written to a recording while it is open", async () => {
    const lines = [...recordingLines({ rounds: 12 })];
    const growing = await inspectorOf({ "growing.jsonl": lines.slice(0, 20) });
    const { page, faults } = await openInspector(browser, growing.inspector.url);
    await page.locator(".conversation-row").click();
    const requests = page.locator(".fact", { hasText: "Requests" }).locator("dd");
    await expect.poll(() => requests.textContent()).toBe("10");
    appendFileSync(
      join(growing.folder, "growing.jsonl"),
      lines
        .slice(20)
        .map((line) => `${line}\n`)
        .join(""),
    );
    await expect.poll(() => requests.textContent()).toBe("12");
    await expect.poll(() => page.locator(".zoom .note").textContent()).toBe("12 requests");
    expect(faults).toEqual([]);
    rmSync(join(growing.folder, "growing.jsonl"));
    await page.locator(".failure", { hasText: "its file may have been moved or deleted" }).waitFor();
    expect(await requests.textContent()).toBe("12");
    await growing.close();
    await page.locator(".connection.lost").waitFor();
  });

  it.skipIf(corpus === undefined)(
    "opens every view of two recorded conversations (skipped without PALIMPSEST_CORPUS)",
    async () => {
      const files = readdirSync(corpus ?? "")
        .filter((name) => /(?:claude-6113e919|pi-before-compaction).*\.jsonl$/.test(name))
        .map((name) => join(corpus ?? "", name));
      const recorded = await inspectorOf(Object.fromEntries(files.map((file) => [file, null])));
      const { page, faults } = await openInspector(browser, recorded.inspector.url);
      await page.locator(".conversation-row").first().waitFor();
      const count = await page.locator(".conversation-row").count();
      expect(count).toBe(2);
      for (let row = 0; row < count; row += 1) {
        await page.locator(".conversation-row").nth(row).click();
        await page.locator("#timeline-plot canvas").waitFor();
        await page.locator(".tabs a", { hasText: "Requests" }).click();
        await page.locator(".request-row").nth(8).click();
        await page.locator(".request .facts").waitFor();
        await page.locator(".tabs a", { hasText: "Compactions" }).click();
        await page.locator(".side-item").first().waitFor();
        await page.locator(".tabs a", { hasText: "Items and cost" }).click();
        await page.locator("tbody tr").nth(3).waitFor();
        await page.locator(".brand").click();
        await page.locator(".conversation-row").nth(1).waitFor();
      }
      expect(faults).toEqual([]);
      await recorded.close();
    },
  );

  it.skipIf(corpus === undefined)(
    "shows the sums that each recording's own lines tell (skipped without PALIMPSEST_CORPUS)",
    async () => {
      const names = readdirSync(corpus ?? "").filter((name) => name.endsWith(".jsonl"));
      const recorded = await inspectorOf(
        Object.fromEntries(names.map((name) => [join(corpus ?? "", name), null])),
      );
      const { page, faults } = await openInspector(browser, recorded.inspector.url);
      for (const name of names) {
        await page.locator("input[type=search]").fill(name);
        await page.locator(".conversation-row").click();
        await page.locator("#timeline-plot canvas").waitFor();
        await page.locator(".tabs a", { hasText: "Items and cost" }).click();
        const rows = page.locator("#models tbody tr");
        await rows.first().waitFor();
        const cells = await rows.evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")),
        );
        const sum = (...columns: readonly number[]): number =>
          cells.reduce(
            (total, row) =>
              total +
              columns.reduce((one, column) => one + Number((row[column] ?? "").replaceAll(",", "")), 0),
            0,
          );
        expect([name, sum(1), sum(2), sum(3, 4), sum(5)]).toEqual([
          name,
          ...recordedUsage(join(corpus ?? "", name)),
        ]);
        await page.locator(".brand").click();
        await page.locator(".conversation-row").first().waitFor();
      }
      expect(faults).toEqual([]);
      await recorded.close();
    },
  );

  it("shows hostile texts as texts, whatever is opened", async () => {
    const { page, faults } = await open();
    await page.locator(".conversation-row", { hasText: "alert" }).click();
    await page.locator("#timeline-plot canvas").waitFor();
    await page.locator(".tabs a", { hasText: "Requests" }).click();
    await page.locator(".request-row").nth(2).click();
    await page.locator(".block-line").nth(3).waitFor();
    await page.locator(".block-line:not(:disabled)").nth(1).click();
    await page.locator(".block-text pre").waitFor();
    const shown = (await page.locator("main").textContent()) ?? "";
    for (const text of ["<img src=x onerror", "{{7*7}}", "⟨U+202E⟩", "␛[31m"]) expect(shown).toContain(text);
    expect(shown).not.toMatch(/[\u202e\u001b\u2028]/);
    expect(await page.locator("img, iframe, object, embed, body link").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it("shows what is forged, and ten megabytes on a line, in every view", async () => {
    const { page, faults } = await open();
    await page.locator(".conversation-row", { hasText: "Forged: " }).click();
    await page.locator("#timeline-plot canvas").waitFor();
    await page.locator(".tabs a", { hasText: "Requests" }).click();
    await page.locator(".request-row").first().click();
    await page.locator(".block-line:not(:disabled)").first().click();
    await page.locator(".block-text pre").first().waitFor();
    expect((await page.locator(".block-text pre").first().textContent())?.length).toBeLessThan(20_000);
    expect(await page.locator(".block-foot").first().textContent()).toMatch(/of 10,5\d\d,\d+ characters/);
    await page.locator(".tabs a", { hasText: "Compactions" }).click();
    await page.locator(".side-item").first().waitFor();
    expect(await page.locator("main").textContent()).toContain("<img src=x onerror");
    for (const [tab, there] of [
      ["Items and cost", "tbody tr"],
      ["What if", "form select option"],
      ["Search", ".search input"],
    ] as const) {
      await page.locator(".tabs a", { hasText: tab }).click();
      await page.locator(there).first().waitFor({ state: "attached" });
    }
    await page.keyboard.press("/");
    await page.keyboard.type("__proto__");
    await page.locator(".hit").first().waitFor();
    expect(await page.locator("img, iframe, object, embed, body link, main b b").count()).toBe(0);
    expect(await page.evaluate("({}).polluted")).toBeUndefined();
    expect(faults).toEqual([]);
  });

  it("plays another policy, by keys alone, and shows it as a second line in the timeline", async () => {
    const { page, faults } = await open();
    await page.locator(".conversation-row", { hasText: "alert" }).press("Enter");
    await page.locator("#timeline-plot canvas").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.locator("form select option").first().waitFor({ state: "attached" });
    await page.locator("form select").first().focus();
    await page.keyboard.type("palimpsest");
    for (let field = 0; field < 3; field += 1) await page.keyboard.press("Tab");
    expect(await page.locator("form button:focus").textContent()).toBe("Start");
    await page.keyboard.press("Enter");
    const row = page.locator("tbody tr", { has: page.locator("th", { hasText: "palimpsest" }) });
    await row.locator(".number").nth(5).waitFor({ timeout: 0 });
    expect(await row.locator(".number").allTextContents()).toEqual([
      expect.stringMatching(/^\$\d/),
      expect.stringMatching(/^\$\d.* (?:less|more)$/),
      expect.stringMatching(/^\$\d/),
      "0",
      expect.stringMatching(/^\d+ of \d+$/),
      expect.stringMatching(/%$|^–$/),
    ]);
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.locator("#timeline-plot").focus();
    await page.keyboard.press("End");
    await expect
      .poll(() => page.locator("#timeline-plot .readings").textContent())
      .toContain("what if: palimpsest");
    expect(faults).toEqual([]);
  });

  it("exports to a file that is read from disk: no key in it, hostile texts as texts, nothing loaded from anywhere", async () => {
    const { page, faults } = await open();
    await page.locator(".conversation-row", { hasText: "alert" }).click();
    await page.locator("#timeline-plot canvas").waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export", exact: true }).click(),
    ]);
    expect(saved.suggestedFilename()).toMatch(/^[\w.-]+\.html$/);
    const file = join(running.folder, "exported.html");
    await saved.saveAs(file);
    expect(readFileSync(file, "utf8")).not.toContain(KEY);
    expect(faults).toEqual([]);

    const { page: alone, faults: others } = await openInspector(browser, pathToFileURL(file).href);
    await alone.locator("#timeline-plot canvas").waitFor();
    await alone.locator(".tabs a", { hasText: "Requests" }).click();
    await alone.locator(".request-row").nth(2).click();
    await alone.locator(".block-line:not(:disabled)").nth(1).click();
    await alone.locator(".block-text pre").first().waitFor();
    const shown = (await alone.locator("main").textContent()) ?? "";
    for (const text of ["<img src=x onerror", "{{7*7}}", "⟨U+202E⟩", "[redacted]"])
      expect(shown).toContain(text);
    expect(await alone.locator("img, iframe, object, embed, body link").count()).toBe(0);
    await alone.locator(".tabs a", { hasText: "Compactions" }).click();
    await alone.locator(".empty").first().waitFor();
    expect(await alone.getByRole("button", { name: "Export" }).count()).toBe(0);
    expect(others).toEqual([]);
  });

  it("asks for nothing that fails: its icon is in the page, and advice comes from a thread", async () => {
    const { page, faults } = await openUsual();
    expect(await page.locator('link[rel="icon"]').getAttribute("href")).toMatch(/^data:image\/svg\+xml,/);
    await page.waitForLoadState("load");
    for (const tab of await page.locator(".tabs a").all()) await tab.click();
    await page.reload();
    await page.locator(".tabs a").first().waitFor();
    const asked = await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)");
    expect((asked as string[]).every((name) => new URL(name).pathname.startsWith("/api/"))).toBe(true);
    expect(faults).toEqual([]);
  });

  it("comes to everything by the Tab key, in every view", async () => {
    const { page, faults } = await open();
    await page.locator(".conversation-row").nth(1).waitFor();
    expect(await missedByTab(page)).toEqual([]);
    await page.locator(".conversation-row", { hasText: "alert" }).click();
    for (const [tab, there] of [
      ["Timeline", "#timeline-plot canvas"],
      ["Requests", ".request-row"],
      ...laterTabs,
    ] as const) {
      await page.locator(".tabs a", { hasText: tab }).click();
      await page.locator(there).first().waitFor({ state: "attached" });
      if (tab === "Requests") {
        await page.locator(".request-row").nth(2).click();
        await page.locator(".block-line:not(:disabled)").nth(1).click();
        await page.locator(".block-text pre").waitFor();
      }
      expect([tab, await missedByTab(page)]).toEqual([tab, []]);
    }
    expect(faults).toEqual([]);
  });

  it("has no serious fault that axe-core knows, in light and in dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open({ colorScheme });
      const faultsHere = async (): Promise<readonly unknown[]> => [
        await seriousFaults(page, colorScheme === "light" ? "all" : "colours"),
        await outOfReach(page),
      ];
      await page.locator(".conversation-row").nth(1).waitFor();
      expect(await faultsHere()).toEqual([[], []]);
      await page.locator(".conversation-row").nth(1).click();
      await page.locator("#timeline-plot canvas").waitFor();
      expect(await faultsHere()).toEqual([[], []]);
      await page.locator(".tabs a", { hasText: "Requests" }).click();
      await page.locator(".request-row").nth(5).click();
      await page.locator(".block-line").nth(3).waitFor();
      await page.locator(".block-line:not(:disabled)").first().click();
      await page.locator(".block-text pre").first().waitFor();
      expect(await faultsHere()).toEqual([[], []]);
      await page.keyboard.press("?");
      await page.locator("dialog.help").waitFor({ state: "visible" });
      expect(await faultsHere()).toEqual([[], []]);
      await page.keyboard.press("Escape");
      for (const [tab, there] of laterTabs) {
        await page.locator(".tabs a", { hasText: tab }).click();
        await page.locator(there).first().waitFor({ state: "attached" });
        expect([tab, ...(await faultsHere())]).toEqual([tab, [], []]);
      }
    }
  });

  it("fits screens of 360 and of 2,560 pixels", async () => {
    for (const width of [360, 2_560]) {
      const { page } = await openUsual({ viewport: { width, height: 800 } });
      for (const tab of ["Timeline", "Requests", "Compactions", "Items and cost", "What if", "Search"]) {
        await page.locator(".tabs a", { hasText: tab }).click();
        const current = page.locator(`.tabs a[aria-current="page"]`, { hasText: tab });
        await current.waitFor();
        expect([width, tab, await overflow(page)]).toEqual([width, tab, 0]);
        // A row of tabs that is wider than the page shows the one that is open.
        const box = await current.boundingBox();
        expect([tab, (box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 0) <= width]).toEqual([
          tab,
          true,
          true,
        ]);
      }
    }
  });
});

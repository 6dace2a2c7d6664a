import axe from "axe-core";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { HOSTILE } from "../../packages/palimpsest/src/replay/testing/made-up-report.js";
import { chromiumPath, launchChromium } from "./chromium.js";
import { inspectorOf, openInspector, type OpenPage } from "./inspector-page.js";
import { recordingLines } from "./made-up-recording.js";

const corpus = process.env["PALIMPSEST_CORPUS"];
const screenshots = process.env["PALIMPSEST_SCREENSHOTS"];

/** What axe-core says is wrong and serious, and where. */
async function seriousFaults(page: Page): Promise<readonly string[]> {
  // Through the debugger, as a person's own tools would: the page's policy lets no script in.
  await page.evaluate(axe.source);
  return (await page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
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
      "usual.jsonl": recordingLines({ rounds: 90, compactsAfter: 40 }),
      "hostile.jsonl": recordingLines({
        rounds: 6,
        spice: `${HOSTILE} {{7*7}} \${alert(3)} __proto__ \u001b[31m`,
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
    expect(await page.locator(".hit mark").first().textContent()).toBe("part7 = 7;");
    expect(await page.locator(".hit").first().textContent()).toContain("compacted away");
    await page.locator(".hit").first().click();
    await page
      .locator(".request .block-text pre mark, .request .block-text pre, .hit-open .block-text pre")
      .first()
      .waitFor();
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

  it("has no serious fault that axe-core knows, in light and in dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open({ colorScheme });
      await page.locator(".conversation-row").nth(1).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.locator(".conversation-row").nth(1).click();
      await page.locator("#timeline-plot canvas").waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.locator(".tabs a", { hasText: "Requests" }).click();
      await page.locator(".request-row").nth(5).click();
      await page.locator(".block-line").nth(3).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
    }
  });

  it("fits screens of 360 and of 2,560 pixels", async () => {
    for (const width of [360, 2_560]) {
      const { page } = await openUsual({ viewport: { width, height: 800 } });
      for (const tab of ["Timeline", "Requests", "Compactions", "Items and cost", "What if", "Search"]) {
        await page.locator(".tabs a", { hasText: tab }).click();
        await page.locator(`.tabs a[aria-current="page"]`, { hasText: tab }).waitFor();
        expect([width, tab, await overflow(page)]).toEqual([width, tab, 0]);
      }
    }
  });
});

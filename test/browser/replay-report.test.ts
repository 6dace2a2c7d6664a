import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ReplayReport } from "../../packages/palimpsest/src/replay/results/policy-result.js";
import { renderReport } from "../../packages/palimpsest/src/replay/report/render-report.js";
import { visibleText } from "../../packages/palimpsest/src/web/visible-text.js";
import { chromiumPath, launchChromium } from "./chromium.js";
import { HOSTILE, madeUpReport } from "../../packages/palimpsest/src/replay/testing/made-up-report.js";

/** As much of a canvas as is looked at here: tests have no types of browsers. */
interface Canvas {
  readonly width: number;
  readonly height: number;
  toDataURL(): string;
  getContext(kind: "2d"): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
}

const screenshots = process.env["PALIMPSEST_SCREENSHOTS"];
const built = new URL("../../packages/palimpsest/dist/replay/report/render-report.js", import.meta.url).href;

describe.skipIf(chromiumPath === undefined)("replay report (skipped where no Chromium is installed)", () => {
  let browser: Browser;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "palimpsest-report-"));
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(directory, { recursive: true, force: true });
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  /** The page, and everything it did that a report must not do. */
  const open = async (
    html: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; faults: string[] }> => {
    const file = join(directory, "report.html");
    writeFileSync(file, html);
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const address = pathToFileURL(file).href;
    const faults: string[] = [];
    page.on("console", (message) => faults.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (request.url() !== address) faults.push(`request: ${request.url()}`);
    });
    page.on("dialog", (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(address);
    // The frame after the one in which everything was laid out.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    return { page, faults };
  };

  const shoot = async (page: Page, name: string): Promise<void> => {
    if (screenshots === undefined) return;
    await page.screenshot({ path: join(screenshots, `report-${name}.png`), fullPage: true });
  };

  /** What is drawn in a chart, as one text: another drawing is another text. */
  const drawing = (page: Page, chart: string): Promise<string> =>
    page.locator(`${chart} canvas`).evaluate((canvas) => (canvas as unknown as Canvas).toDataURL());

  /** How many colours a chart has: one is an empty canvas. */
  const coloursIn = (page: Page, chart: string): Promise<number> =>
    page.locator(`${chart} canvas`).evaluate((canvas) => {
      const drawn = canvas as unknown as Canvas;
      const { data } = drawn.getContext("2d").getImageData(0, 0, drawn.width, drawn.height);
      const colours = new Set<number>();
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] === 255)
          colours.add(((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0));
      }
      return colours.size;
    });

  const allDrawn = async (page: Page): Promise<void> => {
    for (const chart of ["#context-chart", "#cost-chart", "#recall-chart", "#scatter-chart"]) {
      expect(await coloursIn(page, chart)).toBeGreaterThan(5);
    }
  };

  const usual: ReplayReport = madeUpReport({ seed: 11, turns: [240, 90, 1] });
  const title = "Replay of three conversations";

  it("draws every chart, with no error and no request", async () => {
    const { page, faults } = await open(
      renderReport(usual, { title, generatedAt: Date.UTC(2026, 10, 18, 9, 5) }),
    );
    await allDrawn(page);
    expect(await page.title()).toBe(title);
    expect(await page.locator("#total-figures tbody tr").count()).toBe(11);
    expect(await page.locator("#file-figures tbody tr").count()).toBe(11);
    const said = await page.locator("#context-plot-description").textContent();
    expect(said).toMatch(
      /of a window of 200k\. Marks: [1-9]\d* compacted, \d+ cleared, [1-9]\d* cache break, [1-9]\d* blind turn/,
    );
    expect(await page.locator("#largest-box tbody tr").count()).toBe(4);
    expect(await page.locator("#failed-section").count()).toBe(0);
    expect(await page.locator(".summary").first().textContent()).toContain("2026-11-18");
    await shoot(page, "light");
    expect(faults).toEqual([]);
  });

  it("draws the same from the built package", async () => {
    const module = (await import(/* @vite-ignore */ built)) as { renderReport: typeof renderReport };
    const { page, faults } = await open(module.renderReport(usual));
    await allDrawn(page);
    expect(faults).toEqual([]);
  });

  it("choosing a conversation and a policy draws again, from the keyboard too", async () => {
    const { page, faults } = await open(renderReport(usual));
    const bands = await drawing(page, "#context-chart");
    await page.selectOption("#policy-select", "summarise-all");
    await expect.poll(() => drawing(page, "#context-chart")).not.toBe(bands);
    expect(await page.getAttribute("#context-plot", "aria-label")).toContain("summarise-all");
    const costs = await drawing(page, "#cost-chart");
    await page.focus("#file-select");
    await page.keyboard.press("ArrowDown");
    expect(await page.inputValue("#file-select")).toBe("1");
    expect(await page.inputValue("#policy-select")).toBe("summarise-all");
    await expect.poll(() => drawing(page, "#cost-chart")).not.toBe(costs);
    expect(await page.locator("#file-facts").textContent()).toContain("90");
    await page.selectOption("#file-select", "2");
    await expect.poll(() => coloursIn(page, "#context-chart")).toBeGreaterThan(5);
    expect(await page.locator("#cost-plot-description").textContent()).toContain("palimpsest:");
    await page.locator("#line-legend button").first().click();
    expect(await page.locator("#cost-plot-description").textContent()).not.toContain("palimpsest:");
    expect(faults).toEqual([]);
  });

  it("shows values under the pointer and at the place the arrow keys moved to", async () => {
    const { page } = await open(renderReport(usual));
    await page.locator("#context-chart .u-over").hover({ position: { x: 500, y: 150 } });
    const readings = page.locator("#context-chart .readings");
    expect(await readings.textContent()).toMatch(/Turn \d+ · .*tokens.*results/);
    if (screenshots !== undefined) {
      await page.locator("#context-figure").screenshot({ path: join(screenshots, "report-hover.png") });
    }
    await page.locator("#cost-plot").focus();
    await page.keyboard.press("End");
    const costs = page.locator("#cost-chart .readings");
    expect(await costs.textContent()).toContain("After turn 239");
    expect(await costs.textContent()).toMatch(/none.*ended/);
    await page.keyboard.press("Escape");
    expect(await costs.isVisible()).toBe(false);
    await page.locator("#scatter-plot").focus();
    const names: (string | null)[] = [];
    for (let moves = 0; moves < 11; moves += 1) {
      await page.keyboard.press("ArrowRight");
      names.push(await page.locator("#scatter-chart .reading-heading").textContent());
    }
    expect(new Set(names).size).toBe(11);
    expect(names).toContain("mask");
  });

  it("keeps hostile text as text", async () => {
    const report = madeUpReport({ seed: 5, turns: [120], hostile: true });
    const { page, faults } = await open(renderReport(report, { title: HOSTILE }));
    for (const name of ["none", "mask"]) await page.selectOption("#policy-select", name);
    for (const box of ["#marks-box", "#missing-box"]) await page.click(`${box} > summary`);
    await allDrawn(page);
    expect(await page.locator("img, iframe, object, embed, body link, a").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(3);
    const shown = visibleText(HOSTILE);
    expect(shown).toContain("⟨U+202E⟩");
    expect(await page.locator("h1").textContent()).toBe(HOSTILE);
    expect(await page.locator("#file-select option").textContent()).toContain(HOSTILE);
    expect(await page.locator("#failed bdi").first().textContent()).toContain(shown);
    expect(await page.locator("#file-endings bdi").first().textContent()).toContain(shown);
    expect(await page.locator("#largest-box bdi").first().textContent()).toContain(shown);
    expect(await page.locator("#missing-box bdi").nth(1).textContent()).toContain(shown);
    await shoot(page, "hostile");
    expect(faults).toEqual([]);
  });

  it("its policy stops whatever script or request gets into the page all the same", async () => {
    const { page, faults } = await open(renderReport(usual));
    const stopped: string[] = [];
    page.on("requestfailed", (request) => stopped.push(`${request.url()}: ${request.failure()?.errorText}`));
    const refused = await page.evaluate(`[
      () => (document.createElement("script").textContent = "document.title = 'taken'"),
      () => (document.body.innerHTML = "<b>taken</b>"),
      () => document.body.append(document.createRange().createContextualFragment("<script>document.title = 'taken'</" + "script>")),
    ].filter((attempt) => {
      try {
        attempt();
        return false;
      } catch (error) {
        return error instanceof TypeError;
      }
    }).length`);
    expect(refused).toBe(3);
    await page.evaluate(`{
      const script = document.createElement("script");
      script.append("document.title = 'taken'");
      document.body.append(script);
      const image = document.createElement("img");
      image.src = "https://example.invalid/x.png";
      document.body.append(image);
    }`);
    expect(await page.title()).toBe("Replay");
    expect(faults.filter((fault) => fault.startsWith("console: ")).length).toBeGreaterThanOrEqual(2);
    expect(stopped).toEqual(["https://example.invalid/x.png: csp"]);
  });

  it("has light and dark colours, by preference and by its button", async () => {
    const html = renderReport(usual);
    const colours = (page: Page): Promise<unknown> =>
      page.evaluate(`[
        getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.body).color,
        document.querySelector("#context-chart canvas").toDataURL(),
      ]`);
    const { page: light } = await open(html, { colorScheme: "light" });
    const { page: dark } = await open(html, { colorScheme: "dark" });
    const [lightColours, darkColours] = [await colours(light), await colours(dark)];
    await shoot(dark, "dark");
    expect(lightColours).not.toEqual(darkColours);
    await light.click("#theme");
    await dark.click("#theme");
    expect(await colours(light)).toEqual(darkColours);
    expect(await colours(dark)).toEqual(lightColours);
  });

  it("fits a narrow screen, and draws again when the width changes", async () => {
    const { page, faults } = await open(renderReport(usual), { viewport: { width: 390, height: 800 } });
    const overflow = (): Promise<unknown> =>
      page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(await overflow()).toBe(0);
    await shoot(page, "narrow");
    const width = async (): Promise<number> =>
      (await page.locator("#context-chart canvas").boundingBox())?.width ?? 0;
    const before = await width();
    await page.setViewportSize({ width: 1000, height: 800 });
    await expect.poll(width).toBeGreaterThan(before + 400);
    expect(await overflow()).toBe(0);
    if (screenshots !== undefined) await page.pdf({ path: join(screenshots, "report-print.pdf") });
    expect(faults).toEqual([]);
  });

  it("has tables only where there are no series", async () => {
    const report = madeUpReport({ seed: 3, turns: [60], withSeries: false });
    const { page, faults } = await open(renderReport(report));
    expect(await page.locator("#file-figures tbody tr").count()).toBe(11);
    expect(await page.locator("#no-series").isVisible()).toBe(true);
    for (const part of [
      "#context-figure",
      "#line-figures",
      "#largest-box",
      "#missing-box",
      "#policy-choice",
    ]) {
      expect(await page.locator(part).count()).toBe(0);
    }
    expect(faults).toEqual([]);
  });

  it("shows a report in which nothing could be played", async () => {
    const empty = { files: 0, failed: 1, rounds: 0, unlimitedCost: 0, repositories: 0, policies: {} };
    const { page, faults } = await open(
      renderReport({ files: [{ file: "a.jsonl", error: "empty" }], total: empty }),
    );
    expect(await page.locator("#failed").textContent()).toContain("a.jsonl");
    expect(await page.locator("#file-section").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("opens 5,000 turns of eleven policies", async () => {
    const { page, faults } = await open(renderReport(madeUpReport({ seed: 8, turns: [5_000] })));
    await allDrawn(page);
    await shoot(page, "long");
    expect(await page.locator("*").count()).toBeLessThan(5_000);
    expect(faults).toEqual([]);
  });
});

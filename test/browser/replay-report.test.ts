import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ReplayReport } from "../../packages/palimpsest/src/replay/results/policy-result.js";
import { renderReport } from "../../packages/palimpsest/src/replay/report/render-report.js";
import { chromiumPath, launchChromium } from "./chromium.js";
import { HOSTILE, madeUpReport } from "../../packages/palimpsest/src/replay/testing/made-up-report.js";

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

  const paths = (page: Page, selector: string): Promise<string[]> =>
    page.locator(selector).evaluateAll((found) => found.map((one) => one.getAttribute("d") ?? ""));

  const allDrawn = async (page: Page): Promise<void> => {
    for (const selector of [
      "#context-chart path.band",
      "#cost-chart path.line",
      "#scatter-chart circle.point",
    ]) {
      const shapes = await page.locator(selector).all();
      const boxes = await Promise.all(shapes.map((shape) => shape.boundingBox()));
      expect(boxes.length).toBeGreaterThan(3);
      expect(boxes.filter((box) => box === null || box.width === 0 || box.height === 0)).toEqual([]);
    }
    const missed = await page.locator('#recall-chart path[data-line="truncate"]').boundingBox();
    expect(missed?.height).toBeGreaterThan(0);
  };

  const usual: ReplayReport = madeUpReport({ seed: 11, turns: [240, 90, 1] });
  const title = "Replay of three conversations";

  it("draws every chart, with no error and no request", async () => {
    const { page, faults } = await open(renderReport(usual, { title, generatedAt: 1_795_000_000_000 }));
    await allDrawn(page);
    expect(await page.title()).toBe(title);
    expect(await page.locator("#total-figures tbody tr").count()).toBe(11);
    expect(await page.locator("#file-figures tbody tr").count()).toBe(11);
    expect(await page.locator("#context-chart line.window").count()).toBe(1);
    expect(await page.locator("#context-chart line.compaction").count()).toBeGreaterThan(0);
    expect((await paths(page, "#context-chart path[data-marks=broken]"))[0]).toContain("M");
    expect((await paths(page, "#context-chart path[data-marks=blind]"))[0]).toContain("M");
    expect(await page.locator("#largest tbody tr").count()).toBe(4);
    expect(await page.locator("#failed-section").isVisible()).toBe(false);
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
    const bands = await paths(page, "#context-chart path.band");
    await page.selectOption("#policy-select", "summarise-all");
    const others = await paths(page, "#context-chart path.band");
    expect(others).not.toEqual(bands);
    expect(await page.locator("#context-chart title").textContent()).toContain("summarise-all");
    const costs = await paths(page, "#cost-chart path.line");
    await page.focus("#file-select");
    await page.keyboard.press("ArrowDown");
    expect(await page.inputValue("#file-select")).toBe("1");
    expect(await page.inputValue("#policy-select")).toBe("summarise-all");
    expect(await paths(page, "#cost-chart path.line")).not.toEqual(costs);
    expect(await page.locator("#file-facts").textContent()).toContain("90");
    await page.selectOption("#file-select", "2");
    const single = await page.locator("#context-chart path.band").first().boundingBox();
    expect(single?.width).toBeGreaterThan(100);
    await page.locator("#line-legend button").first().click();
    expect(await page.locator('#cost-chart path[data-line="palimpsest"]').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("shows values under the pointer and at the place the arrow keys moved to", async () => {
    const { page } = await open(renderReport(usual));
    await page.locator("#context-chart svg").hover({ position: { x: 500, y: 150 } });
    const readings = page.locator("#context-chart .readings");
    expect(await readings.textContent()).toMatch(/Turn \d+ · .*tokens.*results/);
    if (screenshots !== undefined) {
      await page.locator("#context-figure").screenshot({ path: join(screenshots, "report-hover.png") });
    }
    await page.locator("#cost-chart svg").focus();
    await page.keyboard.press("End");
    const costs = page.locator("#cost-chart .readings");
    expect(await costs.textContent()).toContain("After turn 239");
    expect(await costs.textContent()).toMatch(/none.*ended/);
    await page.keyboard.press("Escape");
    expect(await costs.isVisible()).toBe(false);
    await page.locator('#scatter-chart circle[data-point="mask"]').hover();
    expect(await page.locator("#scatter-chart .readings").textContent()).toContain("mask");
  });

  it("keeps hostile text as text", async () => {
    const report = madeUpReport({ seed: 5, turns: [120], hostile: true });
    const { page, faults } = await open(renderReport(report, { title: HOSTILE }));
    for (const name of ["none", "mask"]) await page.selectOption("#policy-select", name);
    for (const box of ["#marks-box", "#missing-box"]) await page.click(`${box} > summary`);
    await allDrawn(page);
    expect(await page.locator("img, iframe, object, embed, link, a").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(3);
    expect(await page.locator("h1").textContent()).toBe(HOSTILE);
    expect(await page.locator("#file-select option").textContent()).toContain(HOSTILE);
    expect(await page.locator("#failed bdi").first().textContent()).toContain(HOSTILE);
    expect(await page.locator("#file-endings bdi").first().textContent()).toContain(HOSTILE);
    expect(await page.locator("#largest bdi").first().textContent()).toContain(HOSTILE);
    expect(await page.locator("#missing bdi").nth(1).textContent()).toContain(HOSTILE);
    await shoot(page, "hostile");
    expect(faults).toEqual([]);
  });

  it("its policy stops whatever script or request gets into the page all the same", async () => {
    const { page, faults } = await open(renderReport(usual));
    const stopped: string[] = [];
    page.on("requestfailed", (request) => stopped.push(`${request.url()}: ${request.failure()?.errorText}`));
    await page.evaluate(`{
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken'";
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
        getComputedStyle(document.querySelector("path.band")).fill,
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
    const before = await page.locator("#context-chart svg").getAttribute("viewBox");
    await page.setViewportSize({ width: 1000, height: 800 });
    await expect.poll(() => page.locator("#context-chart svg").getAttribute("viewBox")).not.toBe(before);
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
      expect(await page.locator(part).isHidden()).toBe(true);
    }
    expect(faults).toEqual([]);
  });

  it("shows a report in which nothing could be played", async () => {
    const empty = { files: 0, failed: 1, rounds: 0, unlimitedCost: 0, repositories: 0, policies: {} };
    const { page, faults } = await open(
      renderReport({ files: [{ file: "a.jsonl", error: "empty" }], total: empty }),
    );
    expect(await page.locator("#failed").textContent()).toContain("a.jsonl");
    expect(await page.locator("#file-section").isVisible()).toBe(false);
    expect(faults).toEqual([]);
  });

  it("opens 5,000 turns of eleven policies, and draws as many points as of 2,500", async () => {
    const drawn = async (turns: number): Promise<{ elements: number; characters: number }> => {
      const { page, faults } = await open(renderReport(madeUpReport({ seed: 8, turns: [turns] })));
      await allDrawn(page);
      if (turns === 5_000) await shoot(page, "long");
      const characters = (await paths(page, "path")).join("").length;
      const elements = await page.locator("*").count();
      expect(faults).toEqual([]);
      return { elements, characters };
    };
    const [half, whole] = [await drawn(2_500), await drawn(5_000)];
    expect(whole.characters).toBeLessThan(1.1 * half.characters);
    expect(whole.elements).toBeLessThan(5_000);
  });
});

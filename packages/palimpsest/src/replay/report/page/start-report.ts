import type { ReportFile, ReportOverview, ReportPolicy } from "../report-data.js";
import type { createContextChart } from "./context-chart.js";
import type { createCursors } from "./cursor.js";
import type { createElements } from "./elements.js";
import type { createFormats } from "./formats.js";
import type { ChartLine, createLineChart } from "./line-chart.js";
import type { PageElement, PageWindow } from "./page-types.js";
import type { createPlots } from "./plot.js";
import type { createPolicyStyles } from "./policy-styles.js";
import type { createScatterChart } from "./scatter-chart.js";
import type { createTables } from "./tables.js";

/** The functions that the page is made of. */
export interface PageParts {
  readonly createElements: typeof createElements;
  readonly createFormats: typeof createFormats;
  readonly createPlots: typeof createPlots;
  readonly createCursors: typeof createCursors;
  readonly createPolicyStyles: typeof createPolicyStyles;
  readonly createTables: typeof createTables;
  readonly createContextChart: typeof createContextChart;
  readonly createLineChart: typeof createLineChart;
  readonly createScatterChart: typeof createScatterChart;
}

/** Fills the page from the JSON inside it, and again at every choice. A conversation is read when it is chosen. */
export function startReport(page: PageWindow, parts: PageParts): void {
  const elements = parts.createElements(page.document);
  const { html, byId } = elements;
  const formats = parts.createFormats();
  const plots = parts.createPlots(elements);
  const cursors = parts.createCursors(elements);
  const tables = parts.createTables({ elements, formats });
  const kit = { elements, formats, plots, cursors };
  const contextChart = parts.createContextChart(kit);
  const lineChart = parts.createLineChart(kit);
  const scatterChart = parts.createScatterChart(kit);

  const read = (id: string): unknown => JSON.parse(byId(id).textContent ?? "null");
  const overview = read("report-overview") as ReportOverview;
  const styleOf = parts.createPolicyStyles(overview.total.map(({ name }) => name));
  const hiddenLines = new Set<string>();
  let file: ReportFile | null = null;
  let policy: ReportPolicy | null = null;

  const option = (value: string, text: string): PageElement =>
    html("option", { text, attributes: { value } });
  const show = (id: string, isShown: boolean): void => {
    byId(id).hidden = !isShown;
  };

  const turnsTo = (of: ReportFile): number =>
    Math.max(1, ...of.policies.map(({ series }) => (series?.turns[series.turns.length - 1] ?? 0) + 1));

  const linesOf = (of: ReportFile, values: (policy: ReportPolicy) => readonly number[]): ChartLine[] =>
    of.policies
      .filter(({ name, series }) => series !== null && !hiddenLines.has(name))
      .map((one) => ({
        name: one.name,
        style: styleOf(one.name),
        turns: one.series?.turns ?? [],
        values: values(one),
        ended: one.endedAtTurn !== null,
      }));

  const drawContext = (): void => {
    if (file === null || policy === null || policy.series === null) return;
    contextChart.draw({
      holder: byId("context-chart"),
      policy: policy.name,
      series: policy.series,
      window: file.window,
      turnsTo: turnsTo(file),
    });
  };

  const drawLines = (): void => {
    if (file === null) return;
    lineChart.draw({
      holder: byId("cost-chart"),
      id: "cost-plot",
      title: "Cost over turns, by policy",
      yLabel: "dollars so far",
      yFormat: formats.dollars,
      tickFormat: formats.roundDollars,
      wholeY: false,
      lines: linesOf(file, ({ series }) => series?.cost ?? []),
      turnsTo: turnsTo(file),
    });
    lineChart.draw({
      holder: byId("recall-chart"),
      id: "recall-plot",
      title: "References missed over turns, by policy",
      yLabel: "references missed so far",
      yFormat: formats.count,
      tickFormat: formats.count,
      wholeY: true,
      lines: linesOf(file, ({ series }) => series?.missing ?? []),
      turnsTo: turnsTo(file),
    });
  };

  const drawScatter = (): void =>
    scatterChart.draw({ holder: byId("scatter-chart"), policies: overview.total, styleOf });

  const legendButton = (name: string): PageElement => {
    const { hue, dash } = styleOf(name);
    const button = html("button", {
      attributes: { type: "button", "aria-pressed": String(!hiddenLines.has(name)) },
      children: [
        html("span", { attributes: { class: `swatch stroke ${hue} ${dash}` } }),
        html("span", { text: name }),
      ],
    });
    button.addEventListener("click", () => {
      if (!hiddenLines.delete(name)) hiddenLines.add(name);
      button.setAttribute("aria-pressed", String(!hiddenLines.has(name)));
      drawLines();
    });
    return button;
  };

  const choosePolicy = (name: string): void => {
    policy = file?.policies.find((one) => one.name === name) ?? null;
    const series = policy?.series ?? null;
    show("context-figure", series !== null);
    show("marks-box", series !== null && series.marks.length > 0);
    show("missing-box", policy !== null && policy.missing.length + policy.forgotten.length > 0);
    show("largest-box", policy !== null && policy.largest.length > 0);
    if (policy === null) return;
    byId("forgotten").replaceChildren(tables.forgotten(policy));
    byId("missing").replaceChildren(tables.missing(policy));
    byId("largest").replaceChildren(tables.largest(policy));
    if (series === null) return;
    byId("marks").replaceChildren(tables.marks(series.marks));
    byId("context-legend").replaceChildren(
      ...series.kinds.map(({ kind }) =>
        html("li", {
          children: [
            html("span", { attributes: { class: `swatch kind-${kind}` } }),
            html("span", { text: kind }),
          ],
        }),
      ),
    );
    drawContext();
  };

  const chooseFile = (index: number): void => {
    const chosen = read(`report-file-${index}`) as ReportFile;
    file = chosen;
    byId("file-facts").replaceChildren(tables.facts(chosen));
    byId("file-figures").replaceChildren(
      tables.figures(chosen.policies, { caption: "Figures of this conversation", styleOf }),
    );
    const hasEnded = chosen.policies.some(({ endedAtTurn }) => endedAtTurn !== null);
    byId("file-endings").replaceChildren(...(hasEnded ? [tables.endings(chosen.policies)] : []));
    const drawn = chosen.policies.filter(({ series }) => series !== null);
    show("no-series", drawn.length === 0);
    show("line-figures", drawn.length > 0);
    const hasParts = chosen.policies.some(({ missing, largest }) => missing.length + largest.length > 0);
    show("policy-choice", drawn.length > 0 || hasParts);
    byId("line-legend").replaceChildren(...drawn.map(({ name }) => legendButton(name)));
    const before = policy?.name;
    const kept = chosen.policies.find(({ name }) => name === before) ?? drawn[0] ?? chosen.policies[0];
    const select = byId("policy-select");
    select.replaceChildren(...chosen.policies.map(({ name }) => option(name, name)));
    if (kept !== undefined) select.value = kept.name;
    choosePolicy(kept?.name ?? "");
    drawLines();
  };

  const toggleTheme = (): void => {
    const root = page.document.documentElement;
    const current = root.getAttribute("data-theme");
    const isDark =
      current === null ? page.matchMedia("(prefers-color-scheme: dark)").matches : current === "dark";
    root.setAttribute("data-theme", isDark ? "light" : "dark");
    byId("theme").textContent = isDark ? "Dark colours" : "Light colours";
  };

  byId("theme").addEventListener("click", toggleTheme);
  if (page.matchMedia("(prefers-color-scheme: dark)").matches) byId("theme").textContent = "Light colours";
  byId("total-figures").replaceChildren(
    tables.figures(overview.total, { caption: "Figures of all conversations together", styleOf }),
  );
  show("scatter-figure", overview.total.length > 0);
  drawScatter();
  show("failed-section", overview.failed.length > 0);
  byId("failed").replaceChildren(tables.failed(overview.failed));
  show("file-section", overview.files.length > 0);
  const fileSelect = byId("file-select");
  fileSelect.replaceChildren(...overview.files.map((name, index) => option(String(index), name)));
  fileSelect.addEventListener("change", () => chooseFile(Number(fileSelect.value)));
  const policySelect = byId("policy-select");
  policySelect.addEventListener("change", () => choosePolicy(policySelect.value));
  if (overview.files.length > 0) chooseFile(0);

  let drawnWidth = byId("scatter-chart").clientWidth;
  page.addEventListener("resize", () =>
    page.requestAnimationFrame(() => {
      const width = byId("scatter-chart").clientWidth;
      if (width === drawnWidth) return;
      drawnWidth = width;
      drawScatter();
      drawContext();
      drawLines();
    }),
  );
}

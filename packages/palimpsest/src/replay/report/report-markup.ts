import { escapeHtml } from "./embed-text.js";
import type { ReportOverview } from "./report-data.js";

const counted = (count: number, one: string): string =>
  `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;

/** A date as people write it, in UTC; the raw figure where it is no date. */
function momentOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return "";
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function summaryOf(overview: ReportOverview, generatedAt: number | null): string {
  const { files, failed, rounds, unlimitedCost } = overview;
  const parts = [
    counted(files.length, "conversation"),
    counted(rounds, "round"),
    Number.isFinite(unlimitedCost) ? `never forgetting would cost $${unlimitedCost.toFixed(2)}` : "",
    failed.length > 0 ? `${counted(failed.length, "file")} could not be played` : "",
    generatedAt === null ? "" : momentOf(generatedAt),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** What stands on the page before its script fills it. Holds no text of a conversation. */
export function reportMarkup(options: {
  readonly title: string;
  readonly overview: ReportOverview;
  readonly generatedAt: number | null;
}): string {
  const { title, overview, generatedAt } = options;
  return `<main>
<header>
<div>
<h1>${escapeHtml(title)}</h1>
<p class="summary">${escapeHtml(summaryOf(overview, generatedAt))}</p>
</div>
<button type="button" id="theme">Dark colours</button>
</header>
<noscript><p>The tables and charts of this report are drawn by its own script, which is switched off.</p></noscript>

<section aria-labelledby="total-heading">
<h2 id="total-heading">All conversations</h2>
<div id="total-figures"></div>
<p class="note">Full cost is the bill where an agent reads again what was forgotten. A blind edit had to quote text that was nowhere
in its context; a blind turn lacked such a line or a path.</p>
<p class="note">A policy with overflow did not finish: its cost is that of the turns it answered.
Ratios are against an unlimited window and a cache that never loses anything.</p>
<figure id="scatter-figure">
<figcaption><h3>Cost against recall</h3><p>Up and to the left is better. A hollow point had invalid requests or overflow.</p></figcaption>
<div class="chart" id="scatter-chart"></div>
</figure>
</section>

<section id="file-section" aria-labelledby="file-heading">
<h2 id="file-heading">One conversation</h2>
<p class="choice"><label for="file-select">Conversation</label> <select id="file-select"></select></p>
<div id="file-facts"></div>
<div id="file-figures"></div>
<div id="file-endings"></div>
<p class="note" id="no-series">This replay was run without figures for each turn: there are no charts.</p>
<p class="choice" id="policy-choice"><label for="policy-select">Policy</label> <select id="policy-select"></select></p>
<figure id="context-figure">
<figcaption><h3>Context over turns</h3><p>Tokens of each request by kind. Point at the chart, or focus it and use the arrow keys, for values.</p>
<ul class="legend" id="context-legend"></ul></figcaption>
<div class="chart" id="context-chart"></div>
</figure>
<details id="marks-box"><summary>Clearings, compactions, cache breaks and blind turns</summary><div id="marks"></div></details>
<details id="largest-box" open><summary>Largest items</summary><div id="largest"></div></details>
<details id="missing-box"><summary>What was missing</summary><div id="forgotten"></div><div id="missing"></div></details>
<div id="line-figures">
<h3>Policies side by side</h3>
<div class="legend" id="line-legend" role="group" aria-label="Policies in the charts below"></div>
<figure>
<figcaption><h4>Cost over turns</h4><p>Side calls included. A cross is where a conversation could not go on.</p></figcaption>
<div class="chart" id="cost-chart"></div>
</figure>
<figure>
<figcaption><h4>Recall missed over turns</h4><p>References that an action used and its context no longer held.</p></figcaption>
<div class="chart" id="recall-chart"></div>
</figure>
</div>
</section>

<section id="failed-section" aria-labelledby="failed-heading">
<h2 id="failed-heading">Could not be played</h2>
<div id="failed"></div>
</section>
</main>`;
}

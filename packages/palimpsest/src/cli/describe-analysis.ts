import type { Share } from "@palimpsest/core";
import type { AnalysisTotal } from "../replay/analysis-total.js";
import type { RecordingAnalysis } from "../replay/analyze-recording.js";
import { HEAD_SHARE, UNRECORDED_SHARE } from "../replay/recorded-context.js";
import type { RecordedBreak } from "../replay/recorded-breaks.js";
import { formatNumber, plural, printable } from "./terminal.js";

const MOST_ROWS = 8;

/** One file for a person to read. */
export function describeAnalysis(
  { file, format }: { readonly file: string; readonly format: string },
  analysis: RecordingAnalysis,
): string {
  const { size, model, compactions, clearings } = analysis;
  const reported = size.reported === 0 ? "" : `${formatNumber(size.reported)} reported, `;
  return [
    `${printable(file)}\n`,
    `format ${format}, ${printable(model ?? "unknown model")}: ${formatNumber(size.tokens)} tokens in the context ` +
      `(${reported}${formatNumber(size.estimated)} estimated${size.overhead === 0 ? "" : `, ${formatNumber(size.overhead)} system prompt and tools`})\n`,
    describeAccounting(analysis.accounting),
    describeCost(analysis.cost),
    describeBreaks(analysis.cacheBreaks),
    compactions.length === 0 ? "" : `\n${plural(compactions.length, "compaction")}:\n`,
    ...compactions.map(
      ({ at, trigger, preTokens, postTokens }) =>
        `  ${printable(at)} ${printable(trigger)}: ${formatNumber(preTokens)} → ${postTokens === null ? "?" : formatNumber(postTokens)} tokens\n`,
    ),
    clearings.length === 0 ? "" : `\n${plural(clearings.length, "clearing")}:\n`,
    ...clearings.map(
      ({ at, results, freedTokens }) =>
        `  ${printable(at)} ${plural(results, "result")}, about ${formatNumber(freedTokens)} tokens\n`,
    ),
    analysis.unknown.length === 0 ? "" : "\nWhat this recording cannot tell:\n",
    ...analysis.unknown.map(({ text }) => `  - ${printable(text)}\n`),
  ].join("");
}

/** Several files together. */
export function describeAnalysisTotal(total: AnalysisTotal): string {
  const failed = total.failed === 0 ? "" : `, ${formatNumber(total.failed)} of them not read`;
  return [
    `All ${plural(total.files, "file")}${failed}: ${plural(total.compactions.length, "compaction")}, ` +
      `${plural(total.clearings.length, "clearing")}, ${plural(total.duplicateReads.length, "file")} read more than once\n`,
    describeAccounting(total.accounting),
    describeCost(total.cost),
    describeBreaks(total.cacheBreaks),
  ].join("");
}

/** Rows that sum to what is in the context. */
function describeAccounting(accounting: RecordingAnalysis["accounting"]): string {
  const row = (name: string, tokens: number, note = ""): string => {
    const share = accounting.total === 0 ? 0 : (tokens / accounting.total) * 100;
    const figures = `${formatNumber(tokens).padStart(10)} ${`${share.toFixed(1)}%`.padStart(6)}`;
    return `  ${printable(name).padEnd(36)}${figures}${note === "" ? "" : `  ${note}`}\n`;
  };
  const shares = (title: string, all: Readonly<Record<string, Share>>): string => {
    const entries = Object.entries(all).filter(([, { tokens }]) => tokens > 0);
    const shown = entries
      .slice(0, MOST_ROWS)
      .map(([name, { count, tokens }]) => row(`${title} ${name}`, tokens, `${formatNumber(count)}×`));
    const rest = entries.slice(MOST_ROWS).reduce((sum, [, { tokens }]) => sum + tokens, 0);
    return shown.join("") + (rest === 0 ? "" : row(`${title}, others`, rest));
  };
  const reads = accounting.duplicateReads
    .slice(0, MOST_ROWS)
    .map(
      ({ path, count, wasted }) =>
        `  ${formatNumber(wasted)} tokens: ${printable(path)} read ${count} times\n`,
    );
  const { [HEAD_SHARE]: head, [UNRECORDED_SHARE]: unrecorded, ...attachments } = accounting.attachments;
  const some = (name: string, tokens = 0): string => (tokens === 0 ? "" : row(name, tokens));
  return [
    "\nIn the context:\n",
    some("system prompt and tools", head?.tokens),
    some("human", accounting.human),
    some("assistant", accounting.assistant),
    shares("call", accounting.toolRequests),
    shares("result", accounting.toolResults),
    some("local command output", accounting.localCommandOutput),
    shares("attachment", attachments),
    some("images and documents", accounting.other),
    some("not in the recording", unrecorded?.tokens),
    row("in all", accounting.total),
    reads.length === 0 ? "" : `\nRead more than once:\n${reads.join("")}`,
  ].join("");
}

/** What was paid, for what, and what the cache saved. */
function describeCost(cost: RecordingAnalysis["cost"]): string {
  if (cost.responses === 0) return "";
  const hit = `${(cost.cacheHit * 100).toFixed(1)}% of the input read from the cache`;
  const responses = plural(cost.responses, "response");
  if (cost.dollars === null) return `\n${responses}, ${hit}; no prices are known for its models\n`;
  const saved = cost.withoutCache - cost.dollars;
  const parts = [
    `input ${formatDollars(cost.input)}`,
    `cache writes ${formatDollars(cost.cacheWrite)}`,
    `cache reads ${formatDollars(cost.cacheRead)}`,
    `output ${formatDollars(cost.output)}`,
  ];
  const unpriced =
    cost.unpricedResponses === 0 ? "" : `, ${formatNumber(cost.unpricedResponses)} more without known prices`;
  const summaries =
    cost.summaryCalls === 0
      ? ""
      : `  ${formatDollars(cost.summaryDollars)} of it for ${plural(cost.summaryCalls, "call")} for summaries\n`;
  const estimated =
    cost.estimatedCalls === 0
      ? ""
      : `  ${formatDollars(cost.estimatedDollars)} of it estimated: ${plural(cost.estimatedCalls, "call")} cut off\n`;
  return (
    `\n${formatDollars(cost.dollars)} for ${responses}${unpriced}: ${parts.join(", ")}\n` +
    `  ${hit}; without the cache ${formatDollars(cost.withoutCache)} (${saved < 0 ? "it cost" : "it saved"} ${formatDollars(Math.abs(saved))})\n` +
    summaries +
    estimated +
    describeShares("By model", cost.models) +
    describeShares("By source", cost.sources)
  );
}

/** Nothing where there is only one. */
function describeShares(title: string, shares: RecordingAnalysis["cost"]["models"]): string {
  const all = Object.entries(shares).toSorted(([, a], [, b]) => (b.dollars ?? -1) - (a.dollars ?? -1));
  if (all.length < 2) return "";
  const rows = all.slice(0, MOST_ROWS).map(([name, share]) => {
    const price = share.dollars === null ? "no price" : formatDollars(share.dollars);
    const tokens = share.inputTokens + share.cacheWriteTokens + share.cacheReadTokens;
    const figures = `${formatNumber(tokens)} tokens in, ${formatNumber(share.outputTokens)} out`;
    return `    ${price.padStart(8)}  ${printable(name === "" ? "unknown" : name)}: ${plural(share.calls, "call")}, ${figures}\n`;
  });
  const rest = all.length - rows.length;
  return `  ${title}:\n${rows.join("")}${rest === 0 ? "" : `    and ${formatNumber(rest)} more\n`}`;
}

/** The dearest ones, and what all of them come to. */
function describeBreaks(breaks: readonly RecordedBreak[]): string {
  if (breaks.length === 0) return "";
  const lost = breaks.reduce((sum, { lostTokens }) => sum + lostTokens, 0);
  const costs = breaks.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const price =
    costs.length === 0 ? "" : `, about ${formatDollars(costs.reduce((sum, cost) => sum + cost, 0))} more`;
  const rows = breaks
    .toSorted((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.lostTokens - a.lostTokens)
    .slice(0, MOST_ROWS)
    .map(({ at, cost, lostTokens, expectedTokens, detail }) => {
      const dollars = (cost === null ? "" : formatDollars(cost)).padStart(8);
      const tokens = `${formatNumber(lostTokens)} of ${formatNumber(expectedTokens)}`;
      return `  ${printable(at)} ${dollars}  ${tokens.padStart(20)} tokens  ${printable(detail)}\n`;
    });
  const rest = breaks.length - rows.length;
  return [
    `\n${plural(breaks.length, "cache break")}: ${formatNumber(lost)} cached tokens not read${price}\n`,
    ...rows,
    rest === 0 ? "" : `  and ${formatNumber(rest)} more\n`,
  ].join("");
}

const formatDollars = (dollars: number): string => `$${dollars.toFixed(2)}`;

import type { Share } from "@palimpsest/core";
import type { Command } from "commander";
import type { RecordingAnalysis } from "../../replay/analyze-recording.js";
import type { RecordedBreak } from "../../replay/recorded-breaks.js";
import { complain, readRecordings } from "../read-recordings.js";
import { formatNumber, plural, printable, type Terminal } from "../terminal.js";

/** `finish` is told the exit code of the command that ran. */
export function addAnalyzeCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("analyze")
    .description("says where the context of a recorded conversation went")
    .argument(
      "<file>",
      "a transcript of Claude Code, Codex, pi, Gemini CLI or SWE-agent, this program's own, or a list of messages",
    )
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExample:\n  $ palimpsest analyze session.jsonl")
    .action(async (file: string, options: { json?: boolean }) => {
      finish(await analyzeFile(file, options.json === true, terminal));
    });
}

async function analyzeFile(file: string, json: boolean, terminal: Terminal): Promise<number> {
  const { analyzeRecording } = await import("../../replay/analyze-recording.js");
  for await (const read of readRecordings([file], terminal)) {
    if ("error" in read) {
      complain(terminal, file, read.error.message);
      return 1;
    }
    const analysis = analyzeRecording(read.recording);
    const document = { file, format: read.recording.format, ...analysis };
    terminal.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : describe(file, analysis));
  }
  return 0;
}

const MOST_ROWS = 8;

function describe(file: string, analysis: RecordingAnalysis): string {
  const { accounting, size, model, compactions } = analysis;
  const row = (name: string, tokens: number, note = ""): string => {
    const share = accounting.total === 0 ? 0 : (tokens / accounting.total) * 100;
    const figures = `${formatNumber(tokens).padStart(10)} ${`${share.toFixed(1)}%`.padStart(6)}`;
    return `  ${printable(name).padEnd(28)}${figures}${note === "" ? "" : `  ${note}`}\n`;
  };
  const shares = (title: string, all: Readonly<Record<string, Share>>): string => {
    const entries = Object.entries(all);
    const shown = entries
      .slice(0, MOST_ROWS)
      .map(([name, { count, tokens }]) => row(`${title} ${name}`, tokens, `${formatNumber(count)}×`));
    const rest = entries.slice(MOST_ROWS).reduce((sum, [, { tokens }]) => sum + tokens, 0);
    return shown.join("") + (rest === 0 ? "" : row(`${title}, others`, rest));
  };
  const reads = analysis.duplicateReads
    .slice(0, MOST_ROWS)
    .map(
      ({ path, count, wasted }) =>
        `  ${formatNumber(wasted)} tokens: ${printable(path)} read ${count} times\n`,
    );
  return [
    `${printable(file)}\n`,
    `${printable(model ?? "unknown model")}, ${formatNumber(size.tokens)} tokens in the context ` +
      `(${formatNumber(size.reported)} reported, ${formatNumber(size.estimated)} estimated, ${formatNumber(size.overhead)} overhead)\n`,
    `\nAfter the last boundary, by estimate: ${formatNumber(accounting.total)} tokens\n`,
    row("human", accounting.human),
    row("assistant", accounting.assistant),
    shares("call", accounting.toolRequests),
    shares("result", accounting.toolResults),
    row("local command output", accounting.localCommandOutput),
    shares("attachment", accounting.attachments),
    row("images and documents", accounting.other),
    reads.length === 0 ? "" : `\nRead more than once:\n${reads.join("")}`,
    describeCost(analysis.cost),
    describeBreaks(analysis.cacheBreaks),
    compactions.length === 0 ? "" : `\n${plural(compactions.length, "compaction")}:\n`,
    ...compactions.map(
      ({ at, trigger, preTokens, postTokens }) =>
        `  ${printable(at)} ${printable(trigger)}: ${formatNumber(preTokens)} → ${postTokens === null ? "?" : formatNumber(postTokens)} tokens\n`,
    ),
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

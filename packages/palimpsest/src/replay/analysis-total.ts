import type { Accounting, BilledCall, Share } from "@palimpsest/core";
import type { RecordingAnalysis } from "./analyze-recording.js";
import { costOfCalls, type RecordedCost } from "./recorded-cost.js";

type OfFile<T> = T & { readonly file: string };

/** What several analyses come to. */
export interface AnalysisTotal {
  /** All that were named, and those of them that could not be read. */
  readonly files: number;
  readonly failed: number;
  readonly accounting: Accounting;
  readonly duplicateReads: readonly OfFile<RecordingAnalysis["duplicateReads"][number]>[];
  readonly cacheBreaks: readonly OfFile<RecordingAnalysis["cacheBreaks"][number]>[];
  readonly compactions: readonly OfFile<RecordingAnalysis["compactions"][number]>[];
  readonly clearings: readonly OfFile<RecordingAnalysis["clearings"][number]>[];
  readonly cost: RecordedCost;
}

export interface AnalyzedFile {
  readonly file: string;
  readonly analysis: RecordingAnalysis;
  readonly calls: readonly BilledCall[];
}

/** The files together: contexts, breaks and costs are added up, each with the file that it is of. */
export function analysisTotal(files: readonly AnalyzedFile[], failed: number): AnalysisTotal {
  const collect = <Item extends object>(
    of: (analysis: RecordingAnalysis) => readonly Item[],
  ): readonly OfFile<Item>[] =>
    files.flatMap(({ file, analysis }) => of(analysis).map((item) => ({ file, ...item })));
  return {
    files: files.length + failed,
    failed,
    accounting: sumAccounting(files.map(({ analysis }) => analysis.accounting)),
    duplicateReads: collect(({ duplicateReads }) => duplicateReads),
    cacheBreaks: collect(({ cacheBreaks }) => cacheBreaks),
    compactions: collect(({ compactions }) => compactions),
    clearings: collect(({ clearings }) => clearings),
    cost: costOfCalls(files.flatMap(({ calls }) => calls)),
  };
}

function sumAccounting(all: readonly Accounting[]): Accounting {
  const sum = (of: (one: Accounting) => number): number => all.reduce((total, one) => total + of(one), 0);
  const total = sum((one) => one.total);
  const percent = (tokens: number): number => (total === 0 ? 0 : Math.round((tokens / total) * 1000) / 10);
  const [toolRequests, toolResults] = [
    sumShares(all.map((one) => one.toolRequests)),
    sumShares(all.map((one) => one.toolResults)),
  ];
  const duplicateReads = all.flatMap((one) => one.duplicateReads).toSorted((a, b) => b.wasted - a.wasted);
  return {
    total,
    human: sum((one) => one.human),
    assistant: sum((one) => one.assistant),
    toolRequests,
    toolResults,
    localCommandOutput: sum((one) => one.localCommandOutput),
    attachments: sumShares(all.map((one) => one.attachments)),
    other: sum((one) => one.other),
    duplicateReads,
    percentages: {
      human: percent(sum((one) => one.human)),
      assistant: percent(sum((one) => one.assistant)),
      toolRequests: percent(tokensIn(toolRequests)),
      toolResults: percent(tokensIn(toolResults)),
      localCommandOutput: percent(sum((one) => one.localCommandOutput)),
      duplicateReads: percent(duplicateReads.reduce((wasted, read) => wasted + read.wasted, 0)),
    },
  };
}

function sumShares(all: readonly Readonly<Record<string, Share>>[]): Readonly<Record<string, Share>> {
  const sums = new Map<string, Share>();
  for (const [name, { count, tokens }] of all.flatMap((shares) => Object.entries(shares))) {
    const before = sums.get(name) ?? { count: 0, tokens: 0 };
    sums.set(name, { count: before.count + count, tokens: before.tokens + tokens });
  }
  return Object.fromEntries([...sums].toSorted(([, a], [, b]) => b.tokens - a.tokens));
}

const tokensIn = (shares: Readonly<Record<string, Share>>): number =>
  Object.values(shares).reduce((sum, { tokens }) => sum + tokens, 0);

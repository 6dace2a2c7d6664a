import type { ContextKind, LargeItem } from "../measures/context-kinds.js";
import type {
  FailedFile,
  FileResult,
  ForgottenSource,
  MissingReference,
  PolicyFigures,
  PolicyResult,
  ReplayReport,
  TurnRecord,
} from "../results/policy-result.js";
import { sampleTurns } from "./sample-turns.js";

/** One policy's figures under its name. Lists, not records: a name is only ever text here. */
export interface NamedFigures {
  readonly name: string;
  readonly figures: PolicyFigures;
}

/** What the page needs before a conversation is chosen. */
export interface ReportOverview {
  readonly rounds: number;
  readonly unlimitedCost: number;
  readonly total: readonly NamedFigures[];
  /** Conversations that were played, in order; the n-th is embedded on its own. */
  readonly files: readonly string[];
  readonly failed: readonly FailedFile[];
  /** Milliseconds since the epoch; null where the report does not say when it was made. */
  readonly generatedAt: number | null;
}

/**
 * `cleared`: results or pictures went. `compacted`: messages went. `broken`: the cache lost something it held.
 * `blind`: the recorded action used a line or a path that was no longer there.
 */
export interface ReportMark {
  readonly turn: number;
  readonly what: "cleared" | "compacted" | "broken" | "blind";
  /** The tier, the reason of a cache break, or whether an edit was blind. */
  readonly name: string;
  /** Tokens; 0 where it is a blind turn. */
  readonly before: number;
  readonly after: number;
  /** Dollars; 0 where it is not a cache break. */
  readonly cost: number;
}

/** The turns that are drawn, as columns of the same length; costs and references add up from the first turn. */
export interface ReportSeries {
  readonly turns: readonly number[];
  readonly promptTokens: readonly number[];
  readonly kinds: readonly { readonly kind: ContextKind; readonly tokens: readonly number[] }[];
  readonly cost: readonly number[];
  readonly missing: readonly number[];
  readonly references: readonly number[];
  readonly marks: readonly ReportMark[];
}

export interface ReportPolicy extends NamedFigures {
  readonly ttl: string;
  readonly endedAtTurn: number | null;
  readonly endedBecause: string | null;
  readonly series: ReportSeries | null;
  /** The first of them; the figures have the count. */
  readonly missing: readonly MissingReference[];
  readonly forgotten: readonly ForgottenSource[];
  readonly largest: readonly LargeItem[];
}

/** Everything about one conversation. */
export interface ReportFile extends Omit<FileResult, "policies"> {
  readonly policies: readonly ReportPolicy[];
}

/** Turns drawn per policy: more than a screen has pixels for is not seen. */
const DRAWN_TURNS = 1_200;
const LISTED_MISSING = 200;
const SHOWN_CHARACTERS = 2_000;

const DRAWN_KINDS: readonly ContextKind[] = [
  "head",
  "summary",
  "restored",
  "human",
  "assistant",
  "thinking",
  "calls",
  "results",
  "other",
];

const CLEARING_TIERS: ReadonlySet<string> = new Set([
  "media",
  "time-based",
  "cached",
  "size-based",
  "mask",
  "clear",
  "clear-tool-uses",
  "api-native",
]);

const cut = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;

const rounded = (dollars: number): number => Math.round(dollars * 1e7) / 1e7;

function marksOf(series: readonly TurnRecord[]): ReportMark[] {
  return series.flatMap(({ turn, edits, cacheBreak, isBlind, blindEdits }) => {
    const marks: ReportMark[] = edits.map(({ tier, tokensBefore, tokensAfter }) => ({
      turn,
      what: CLEARING_TIERS.has(tier) ? "cleared" : "compacted",
      name: tier,
      before: tokensBefore,
      after: tokensAfter,
      cost: 0,
    }));
    if (isBlind) {
      const name = blindEdits === 0 ? "something was forgotten" : "text to be replaced was forgotten";
      marks.push({ turn, what: "blind", name, before: 0, after: 0, cost: 0 });
    }
    if (cacheBreak === null) return marks;
    const { reason, lostTokens, cost } = cacheBreak;
    return [
      ...marks,
      { turn, what: "broken", name: reason, before: lostTokens, after: 0, cost: rounded(cost) },
    ];
  });
}

/** The sums up to each turn. */
function runningSums(series: readonly TurnRecord[], of: (record: TurnRecord) => number): number[] {
  let sum = 0;
  return series.map((record) => (sum += of(record)));
}

function seriesOf(series: readonly TurnRecord[]): ReportSeries {
  const picked = sampleTurns(series, DRAWN_TURNS);
  const column = (values: readonly number[]): number[] => picked.map((index) => values[index] ?? 0);
  return {
    turns: column(series.map(({ turn }) => turn)),
    promptTokens: column(series.map(({ promptTokens }) => promptTokens)),
    kinds: DRAWN_KINDS.map((kind) => ({
      kind,
      tokens: column(series.map(({ kinds }) => Math.round(kinds[kind] ?? 0))),
    })).filter(({ tokens }) => tokens.some((count) => count > 0)),
    cost: column(runningSums(series, ({ cost }) => cost)).map(rounded),
    missing: column(runningSums(series, ({ missing }) => missing)),
    references: column(runningSums(series, ({ references }) => references)),
    marks: marksOf(series),
  };
}

function policyOf(name: string, result: PolicyResult): ReportPolicy {
  const {
    series,
    missing = [],
    forgotten = [],
    largest = [],
    ttl,
    endedAtTurn,
    endedBecause,
    ...figures
  } = result;
  return {
    name,
    figures,
    ttl,
    endedAtTurn,
    endedBecause: endedBecause === null ? null : cut(endedBecause),
    series: series === undefined || series.length === 0 ? null : seriesOf(series),
    missing: missing.slice(0, LISTED_MISSING).map((one) => ({ ...one, reference: cut(one.reference) })),
    forgotten: forgotten.slice(0, LISTED_MISSING).map((one) => ({
      ...one,
      source: cut(one.source),
      lines: one.lines.slice(0, 1).map(cut),
      paths: one.paths.slice(0, 1).map(cut),
    })),
    largest: largest.map((item) => ({ ...item, label: cut(item.label) })),
  };
}

const isPlayed = (file: FileResult | FailedFile): file is FileResult => "policies" in file;

/** The figures as the page reads them: long series cut down to what can be seen, marks kept. */
export function reportData(
  report: ReplayReport,
  generatedAt: number | null,
): {
  readonly overview: ReportOverview;
  readonly files: readonly ReportFile[];
} {
  const played = report.files.filter(isPlayed);
  return {
    overview: {
      rounds: report.total.rounds,
      unlimitedCost: report.total.unlimitedCost,
      total: Object.entries(report.total.policies).map(([name, figures]) => ({ name, figures })),
      files: played.map(({ file }) => file),
      failed: report.files.flatMap((file) =>
        isPlayed(file) ? [] : [{ file: file.file, error: cut(file.error) }],
      ),
      generatedAt,
    },
    files: played.map((file) => ({
      ...file,
      policies: Object.entries(file.policies).map(([name, result]) => policyOf(name, result)),
    })),
  };
}

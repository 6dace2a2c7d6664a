import type { ContextKind } from "../measures/context-kinds.js";
import type {
  FailedFile,
  FileResult,
  PolicyFigures,
  PolicyResult,
  ReplayReport,
  TurnRecord,
} from "../results/policy-result.js";
import type { PolicyEdit } from "../policies/policy.js";

/** Text that becomes an element, a dialog or a broken page wherever it is not kept as text. */
export const HOSTILE =
  `</script><img src=x onerror="alert(1)"><script>alert(2)</script>` +
  `<!--<script> "'&amp; \u2028\u2029\u202E`;

/** A generator of numbers from 0 up to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Manner {
  readonly name: string;
  readonly tier: string;
  readonly keeps: number;
  readonly at: number;
  readonly ttl: "5m" | "1h" | "auto";
  readonly forgets: number;
}

const BASES: readonly Omit<Manner, "ttl">[] = [
  { name: "palimpsest", tier: "full", keeps: 0.14, at: 0.85, forgets: 0.01 },
  { name: "none", tier: "", keeps: 1, at: Infinity, forgets: 0 },
  { name: "truncate", tier: "truncate", keeps: 0.5, at: 0.92, forgets: 0.2 },
  { name: "mask", tier: "mask", keeps: 0.7, at: 0.35, forgets: 0.12 },
  { name: "clear-tool-uses", tier: "clear-tool-uses", keeps: 0.55, at: 0.5, forgets: 0.1 },
  { name: "summarise-all", tier: "summarise-all", keeps: 0.06, at: 0.8, forgets: 0.15 },
];

const MANNERS: readonly Manner[] = BASES.flatMap((base): Manner[] =>
  base.name === "palimpsest"
    ? [{ ...base, ttl: "auto" }]
    : [
        { ...base, ttl: "5m" },
        { ...base, name: `${base.name}@1h`, ttl: "1h" },
      ],
);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function playTurns(
  manner: Manner,
  options: { turns: number; window: number; random: () => number },
): { readonly series: TurnRecord[]; readonly ended: number | null } {
  const { turns, window, random } = options;
  const kinds: Partial<Record<ContextKind, number>> = { head: 18_000, human: 400 };
  const grow = (kind: ContextKind, tokens: number): void => {
    kinds[kind] = (kinds[kind] ?? 0) + Math.round(tokens);
  };
  const size = (): number => sum(Object.values(kinds));
  const series: TurnRecord[] = [];
  const pace = (window * 4) / Math.max(turns, 40);
  for (let turn = 0; turn < turns; turn += 1) {
    if (random() < 0.08) grow("human", 60 + random() * 400);
    grow("assistant", pace * 0.08 * random());
    if (random() < 0.5) grow("thinking", pace * 0.1 * random());
    grow("calls", pace * 0.12 * random());
    grow("results", pace * (random() < 0.06 ? 6 * random() : 0.7 * random()));
    const edits: PolicyEdit[] = [];
    const before = size();
    if (before > window * manner.at) {
      for (const kind of ["assistant", "thinking", "calls", "results"] as const) {
        kinds[kind] = Math.round((kinds[kind] ?? 0) * manner.keeps);
      }
      if (manner.tier === "full" || manner.tier === "summarise-all") {
        kinds.summary = 3_500;
        kinds.restored = manner.tier === "full" ? 9_000 : 0;
      }
      edits.push({ tier: manner.tier, tokensBefore: before, tokensAfter: size() });
    } else if (manner.name === "palimpsest" && random() < 0.02) {
      kinds.results = Math.round((kinds.results ?? 0) * 0.8);
      edits.push({ tier: "time-based", tokensBefore: before, tokensAfter: size() });
    }
    const promptTokens = size();
    if (promptTokens > window) return { series, ended: turn };
    const isBroken = edits.length > 0 || random() < 0.015;
    const lostTokens = isBroken ? Math.round(promptTokens * 0.7) : 0;
    const written = lostTokens + Math.round(pace);
    const references = random() < 0.6 ? Math.floor(random() * 4) : 0;
    const hasForgotten = turn > turns * 0.3;
    series.push({
      turn,
      at: 1_790_000_000_000 + turn * 45_000,
      promptTokens,
      kinds: { ...kinds },
      cost: (promptTokens * 0.5 + written * 6.25 + 900 * 25) / 1e6,
      cacheReadTokens: Math.max(0, promptTokens - written),
      cacheWriteTokens: Math.min(promptTokens, written),
      inputTokens: 12,
      outputTokens: 900,
      references,
      missing: hasForgotten && random() < manner.forgets * 3 ? Math.min(references, 1) : 0,
      isBlind: hasForgotten && turn % 7 === 0,
      blindEdits: hasForgotten && turn % 14 === 0 ? 1 : 0,
      edits,
      cacheBreak: isBroken
        ? {
            reason: edits.length > 0 ? "messages-changed" : "expired",
            lostTokens,
            cost: (lostTokens * 5.75) / 1e6,
          }
        : null,
    });
  }
  return { series, ended: null };
}

function figuresOf(
  series: readonly TurnRecord[],
  options: { readonly unlimitedCost: number; readonly overflow: number },
): PolicyFigures {
  const total = (of: (record: TurnRecord) => number): number => sum(series.map(of));
  const cost = total((record) => record.cost);
  const references = total((record) => record.references);
  const missing = total((record) => record.missing);
  const edits = series.flatMap((record) => record.edits);
  const compactions: Record<string, number> = {};
  for (const { tier } of edits) compactions[tier] = (compactions[tier] ?? 0) + 1;
  const sideCalls = edits.filter(({ tier }) => tier === "full" || tier === "summarise-all").length;
  const reads = total((record) => record.cacheReadTokens);
  const writes = total((record) => record.cacheWriteTokens);
  const forgetting = {
    turns: series.length,
    cost,
    fullCost: cost * 1.05,
    regainCost: cost * 0.05,
    costAt: { "1": cost * 1.05, "2": cost * 1.1, "4": cost * 1.2 },
    edits: series.length,
    blindEdits: total((record) => record.blindEdits),
    unreadEdits: 0,
    neededTurns: series.length,
    blindTurns: series.filter(({ isBlind }) => isBlind).length,
    regainRequests: series.filter(({ isBlind }) => isBlind).length,
    regainSeconds: 4.4 * series.filter(({ isBlind }) => isBlind).length,
    lost: 0,
  };
  return {
    ...forgetting,
    beforeRecordedCompaction: forgetting,
    breakEven: null,
    costRatio: cost / options.unlimitedCost,
    cacheHit: reads / Math.max(1, reads + writes + 12 * series.length),
    inputTokens: 12 * series.length,
    cacheReadTokens: reads,
    cacheWriteTokens: writes,
    outputTokens: 900 * series.length,
    invalid: 0,
    overflow: options.overflow,
    compactions,
    recompactions: sideCalls > 4 ? 1 : 0,
    recall: references === 0 ? 1 : 1 - missing / references,
    references,
    missingReferences: missing,
    userWords: missing === 0 ? 1 : 0.93,
    userWordsUncapped: missing === 0 ? 1 : 0.81,
    cpuMsP50: 0.42,
    cpuMsP99: 6.8,
    cpuGrowth: 1.12,
    sideCalls,
    sideCost: sideCalls * 0.031,
    peakTokens: Math.max(0, ...series.map((record) => record.promptTokens)),
  };
}

export interface MadeUpOptions {
  readonly seed: number;
  /** Turns of each conversation. */
  readonly turns: readonly number[];
  readonly withSeries?: boolean;
  /** Hostile names, labels, references and reasons, and two files that failed. */
  readonly hostile?: boolean;
  readonly window?: number;
}

/** A report as a replay could give it, the same for the same options. Nothing in it was measured. */
export function madeUpReport(options: MadeUpOptions): ReplayReport {
  const { seed, turns, withSeries = true, hostile = false, window = 200_000 } = options;
  const random = seeded(seed);
  const spice = (text: string): string => (hostile ? `${text} ${HOSTILE}` : text);
  const all = new Map<string, TurnRecord[]>(MANNERS.map(({ name }) => [name, []]));
  const overflows = new Map<string, number>();
  const files = turns.map((length, place): FileResult => {
    const unlimitedCost = (length * window * 0.4) / 1e6;
    const policies = MANNERS.map((manner): [string, PolicyResult] => {
      const { series, ended } = playTurns(manner, { turns: length, window, random });
      const overflow = ended === null ? 0 : length - ended;
      for (const record of series) all.get(manner.name)?.push(record);
      overflows.set(manner.name, (overflows.get(manner.name) ?? 0) + overflow);
      const missing = series
        .filter((record) => record.missing > 0)
        .map((record) => ({
          turn: record.turn,
          at: record.at,
          tool: "Edit",
          kind: "path" as const,
          reference: spice(`src/engine/part-${record.turn % 17}.ts`),
        }));
      const largest = [
        "Read src/index.ts",
        "Bash npm test",
        "Grep createStore",
        "Please look at the parser",
      ].map((label, rank) => ({
        kind: rank === 3 ? ("human" as const) : ("results" as const),
        label: spice(label),
        tokens: Math.round(14_000 / (rank + 1)),
      }));
      return [
        manner.name,
        {
          ...figuresOf(series, { unlimitedCost, overflow }),
          ttl: manner.ttl,
          endedAtTurn: ended,
          regainingEndedAtTurn: null,
          endedBecause:
            ended === null ? null : spice(`prompt is too long: ${window + 312} tokens > ${window} maximum`),
          ...(withSeries ? { series, missing, largest } : {}),
        },
      ];
    });
    return {
      file: spice(`conversations/session-${place + 1}.jsonl`),
      format: "claude-code",
      repository: spice(`repository-${place % 3}`),
      model: "claude-opus-4-5",
      window,
      rounds: length,
      humanMessages: Math.round(length * 0.08),
      undoneCompactions: 1,
      keptCompactions: 0,
      damagedLines: 0,
      head: { tokens: 18_000, from: "assumed" },
      unlimitedCost,
      policies: Object.fromEntries(policies),
    };
  });
  const failed: readonly FailedFile[] = hostile
    ? [
        { file: spice("broken/one.jsonl"), error: spice("not a recording") },
        { file: "broken/two.traj", error: "The file is empty" },
      ]
    : [];
  const unlimitedCost = sum(files.map((file) => file.unlimitedCost));
  return {
    files: [...files, ...failed],
    total: {
      files: files.length,
      failed: failed.length,
      rounds: sum(turns),
      unlimitedCost,
      repositories: 3,
      policies: Object.fromEntries(
        MANNERS.map(({ name }) => [
          name,
          {
            ...figuresOf(all.get(name) ?? [], { unlimitedCost, overflow: overflows.get(name) ?? 0 }),
            conversations: files.length,
            intervals: null,
          },
        ]),
      ),
    },
  };
}

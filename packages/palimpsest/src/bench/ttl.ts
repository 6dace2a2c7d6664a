import { defaultSettings } from "@palimpsest/core";
import { addToHistory, noGapHistory, recordedRequests, type RecordedRequest } from "@palimpsest/core/engine";
import { compareTtls, type ComparisonOptions, type TtlComparison } from "@palimpsest/core/recordings";
import { readRecording } from "../replay/readers/read-recording.js";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";

const keepAlive = { ...defaultSettings, cacheKeepAlive: true };

/** By name, the first one is in an odd place. */
type Half = "odd" | "even";

interface Conversation {
  readonly half: Half;
  readonly requests: readonly RecordedRequest[];
  readonly begin: number;
}

type Compared = TtlComparison & { readonly half: Half };

/** Those that say what was used, in the order of the files' names. */
async function readConversations(files: readonly string[]): Promise<readonly Conversation[]> {
  const conversations: Conversation[] = [];
  for (const [index, file] of files.toSorted().entries()) {
    const requests = recordedRequests((await readRecording(file)).messages);
    const [first] = requests;
    if (first !== undefined)
      conversations.push({ half: index % 2 === 0 ? "odd" : "even", requests, begin: first.at });
  }
  return conversations;
}

interface Assumed extends Omit<ComparisonOptions, "history"> {
  /** Whether a conversation knows of the ones before it. Default true. */
  readonly withHistory?: boolean;
}

/** What each would have cost: as one user's conversations in the order they began, or each on its own. */
function compareAll(conversations: readonly Conversation[], assumed: Assumed = {}): readonly Compared[] {
  const { withHistory = true, source = "repl_main_thread", ...options } = assumed;
  let history = noGapHistory;
  return conversations
    .toSorted((a, b) => a.begin - b.begin)
    .map(({ half, requests }) => {
      const known = withHistory ? { history } : {};
      const comparison = compareTtls(requests, { source, ...options, ...known });
      history = addToHistory(history, { source, evidence: comparison.evidence });
      return { half, ...comparison };
    });
}

const sum = (rows: readonly Compared[], pick: (row: Compared) => number): number =>
  rows.reduce((total, row) => total + pick(row), 0);

function totals(rows: readonly Compared[]) {
  const always = { "5m": sum(rows, (row) => row.always["5m"]), "1h": sum(rows, (row) => row.always["1h"]) };
  const chosen = sum(rows, (row) => row.chosen);
  return {
    always,
    chosen,
    /** What was chosen against the better of the two. */
    ratio: chosen / Math.min(always["5m"], always["1h"]),
    /** Each conversation with the lifetime that turned out to be the better one. */
    oracle: sum(rows, (row) => Math.min(row.always["5m"], row.always["1h"])),
  };
}

/** What the choice of cache lifetimes costs on recordings that say what was used. */
export const ttlBenchmark: Benchmark = {
  name: "ttl",
  needsRecordings: true,
  async *run({ recordings }): AsyncGenerator<Figure> {
    const conversations = await readConversations(recordings);
    if (conversations.length === 0) return;
    const learning = compareAll(conversations);
    const all = totals(learning);
    yield { name: "ttl.always.5m", value: all.always["5m"], unit: "$" };
    yield { name: "ttl.always.1h", value: all.always["1h"], unit: "$" };
    yield { name: "ttl.chosen", value: all.chosen, unit: "$" };
    yield { name: "ttl.oracle", value: all.oracle, unit: "$" };
    yield { name: "ttl.chosen.ratio", value: all.ratio, unit: "ratio" };
    for (const half of ["odd", "even"] as const) {
      const rows = learning.filter((row) => row.half === half);
      if (rows.length > 0)
        yield { name: `ttl.chosen.ratio.${half}`, value: totals(rows).ratio, unit: "ratio" };
    }
    const alone = totals(compareAll(conversations, { withHistory: false }));
    yield { name: "ttl.chosen.ratio.without-history", value: alone.ratio, unit: "ratio" };
    // A program's conversations are taken to have no pauses until they show some.
    const unassuming = totals(compareAll(conversations, { source: "sdk" }));
    yield { name: "ttl.chosen.ratio.without-prior", value: unassuming.ratio, unit: "ratio" };
    const kept = (cacheTtl: "5m" | "auto"): number =>
      totals(compareAll(conversations, { cacheTtl, keepAlive })).chosen;
    yield { name: "ttl.keep-alive.5m", value: kept("5m"), unit: "$" };
    yield { name: "ttl.keep-alive.chosen", value: kept("auto"), unit: "$" };
  },
};

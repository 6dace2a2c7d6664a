import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { requestsSeen } from "../../packages/core/src/engine/prompt/ttl/gap-evidence.js";
import {
  addToHistory,
  noGapHistory,
  type GapHistory,
} from "../../packages/core/src/engine/prompt/ttl/gap-history.js";
import { defaultSettings } from "../../packages/core/src/engine/settings/settings.js";
import { recordedRequests } from "../../packages/core/src/engine/prompt/ttl/recorded-requests.js";
import {
  compareTtls,
  type ComparisonOptions,
  type TtlComparison,
} from "../../packages/core/src/engine/prompt/ttl/ttl-comparison.js";
import { readRecording } from "../../packages/palimpsest/src/replay/readers/read-recording.js";
import { corpusFolder } from "../../packages/palimpsest/src/replay/testing/corpus-folder.js";

const corpus = corpusFolder;
const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";

/** How much more than the better of both lifetimes the choice may cost, over a set of conversations. */
const MOST = 1.03;

type Conversation = Awaited<ReturnType<typeof readConversations>>[number];

/** The conversations of the corpus in the order they began, and their places by name. */
async function readConversations(folder: string) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const conversations = await Promise.all(
    names.toSorted().map(async (name, index) => {
      const { messages, counts } = await readRecording(join(folder, name));
      return { name, index, counts, requests: recordedRequests(messages) };
    }),
  );
  return conversations.toSorted((a, b) => (a.requests[0]?.at ?? 0) - (b.requests[0]?.at ?? 0));
}

/** All of them as one user's, each decided with what the earlier ones have shown; or each for itself. */
function compareAll(
  conversations: readonly Conversation[],
  {
    isLearning = true,
    source = "repl_main_thread",
    ...options
  }: ComparisonOptions & { isLearning?: boolean } = {},
) {
  let history: GapHistory = noGapHistory;
  const rows: TtlComparison[] = [];
  for (const { requests } of conversations) {
    const compared = compareTtls(requests, { source, ...options, ...(isLearning ? { history } : {}) });
    history = addToHistory(history, { source, evidence: compared.evidence });
    rows.push(compared);
  }
  const sum = (pick: (row: TtlComparison) => number): number =>
    rows.reduce((total, row) => total + pick(row), 0);
  const always = { "5m": sum((row) => row.always["5m"]), "1h": sum((row) => row.always["1h"]) };
  return {
    always,
    chosen: sum((row) => row.chosen),
    better: Math.min(always["5m"], always["1h"]),
    pings: sum((row) => row.pings),
  };
}

const conversations = corpus === undefined ? [] : await readConversations(corpus);

describe.skipIf(corpus === undefined)(`lifetimes on recorded conversations${reason}`, () => {
  const tuned = conversations.filter(({ index }) => index % 2 === 0);
  const unseen = conversations.filter(({ index }) => index % 2 === 1);

  it("every response with usage is a request, and none before the one it follows", () => {
    const odd = conversations.filter(({ requests, counts }) => {
      const isInOrder = requests.every(({ at }, index) => at >= (requests[index - 1]?.at ?? 0));
      const isComplete =
        requests.length <= counts.apiResponses && requests.length >= counts.apiResponses * 0.9;
      return !isInOrder || !isComplete || requestsSeen(compareTtls(requests).evidence) !== requests.length;
    });
    expect(odd.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ["those that the prior was made from", tuned],
    ["those that it was not", unseen],
    ["all", conversations],
  ])("%s: the choice costs hardly more than the better lifetime, with a history and without", (_, set) => {
    for (const isLearning of [true, false]) {
      const { chosen, better } = compareAll(set, { isLearning });
      expect(chosen).toBeLessThanOrEqual(MOST * better);
    }
  });

  it("assuming no pauses, the first conversations show that there are", () => {
    const { chosen, better, always } = compareAll(conversations, { source: "sdk" });
    expect(chosen).toBeLessThanOrEqual(MOST * better);
    expect(chosen).toBeLessThan(0.85 * Math.max(always["5m"], always["1h"]));
  });

  it("keep-alives pay for themselves where entries live for five minutes", () => {
    const keepAlive = { ...defaultSettings, cacheKeepAlive: true };
    for (const set of [tuned, unseen]) {
      const { chosen, always, pings } = compareAll(set, { cacheTtl: "5m", keepAlive });
      expect(pings).toBeGreaterThan(0);
      expect(chosen).toBeLessThan(0.95 * always["5m"]);
    }
  });
});

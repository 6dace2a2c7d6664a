import { addToHistory, compareTtls, defaultSettings, noGapHistory, recordedRequests } from "@palimpsest/core";
import { readRecording } from "palimpsest/replay";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const keepAlive = { ...defaultSettings, cacheKeepAlive: true };

/** The recorded conversations by name, every second one among those that the prior was made from. */
async function readConversations(folder) {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted();
  const conversations = [];
  for (const [index, name] of names.entries()) {
    const { messages } = await readRecording(join(folder, name));
    const requests = recordedRequests(messages);
    if (requests.length > 0)
      conversations.push({ name, half: index % 2 === 0 ? "tuned" : "unseen", requests });
  }
  return conversations;
}

/** What each would have cost: as one user's conversations in the order they began, or each on its own. */
function compareAll(conversations, { withHistory = true, source = "repl_main_thread", ...options } = {}) {
  let history = noGapHistory;
  return conversations
    .toSorted((a, b) => a.requests[0].at - b.requests[0].at)
    .map(({ name, half, requests }) => {
      const comparison = compareTtls(requests, { source, ...options, ...(withHistory ? { history } : {}) });
      history = addToHistory(history, { source, evidence: comparison.evidence });
      return { name, half, ...comparison };
    });
}

const sum = (rows, pick) => rows.reduce((total, row) => total + pick(row), 0);

function totals(rows) {
  const always = { "5m": sum(rows, (row) => row.always["5m"]), "1h": sum(rows, (row) => row.always["1h"]) };
  return {
    always,
    chosen: sum(rows, (row) => row.chosen),
    better: Math.min(always["5m"], always["1h"]),
    // Each conversation with the lifetime that turned out to be the better one.
    oracle: sum(rows, (row) => Math.min(row.always["5m"], row.always["1h"])),
  };
}

const folder = process.env.PALIMPSEST_CORPUS;

/** Named figures with units: what the choice of lifetimes costs on recordings; none without PALIMPSEST_CORPUS. */
export async function ttlBench() {
  if (folder === undefined) return [];
  const conversations = await readConversations(folder);
  const learning = compareAll(conversations);
  const alone = totals(compareAll(conversations, { withHistory: false }));
  // A program's conversations are taken to have no pauses until they show some.
  const unassuming = totals(compareAll(conversations, { source: "sdk" }));
  const kept = (cacheTtl) => totals(compareAll(conversations, { cacheTtl, keepAlive })).chosen;
  const all = totals(learning);
  const of = (half) => totals(learning.filter((row) => row.half === half));
  const ratio = ({ chosen, better }) => chosen / better;
  return [
    { name: "ttl.always.5m", value: all.always["5m"], unit: "$" },
    { name: "ttl.always.1h", value: all.always["1h"], unit: "$" },
    { name: "ttl.chosen", value: all.chosen, unit: "$" },
    { name: "ttl.oracle", value: all.oracle, unit: "$" },
    { name: "ttl.chosen.ratio", value: ratio(all), unit: "×" },
    { name: "ttl.chosen.ratio.tuned", value: ratio(of("tuned")), unit: "×" },
    { name: "ttl.chosen.ratio.unseen", value: ratio(of("unseen")), unit: "×" },
    { name: "ttl.chosen.ratio.without-history", value: ratio(alone), unit: "×" },
    { name: "ttl.chosen.ratio.without-prior", value: ratio(unassuming), unit: "×" },
    { name: "ttl.keep-alive.5m", value: kept("5m"), unit: "$" },
    { name: "ttl.keep-alive.chosen", value: kept("auto"), unit: "$" },
  ];
}

/** One row for each conversation, in dollars. */
async function ttlTable() {
  const rows = compareAll(await readConversations(folder));
  return rows.map(({ name, half, requests, always, chosen, decisions }) => ({
    conversation: name.replace(/\.jsonl$/, "").slice(0, 44),
    half,
    requests,
    "5m": Number(always["5m"].toFixed(2)),
    "1h": Number(always["1h"].toFixed(2)),
    chosen: Number(chosen.toFixed(2)),
    decisions: decisions.join(" "),
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (folder === undefined) {
    console.log("PALIMPSEST_CORPUS names no folder of recorded conversations: nothing to measure");
  } else {
    console.table(await ttlTable());
    console.table(await ttlBench());
  }
}

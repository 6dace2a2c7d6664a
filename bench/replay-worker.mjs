/** Plays recorded conversations for `replay-bench.mjs`, one after another, as they come. */
import { parentPort } from "node:worker_threads";
import { playConversation } from "../packages/palimpsest/dist/replay/play/play-conversation.js";
import { parsePolicies } from "../packages/palimpsest/dist/replay/policies/parse-policies.js";
import { openConversation } from "../packages/palimpsest/dist/replay/rounds/open-conversation.js";

/** The real libraries; loaded only where they are asked for. */
const peers = {
  "langchain-summarization": async () =>
    (await import("./peers/langchain-summarization.mjs")).langchainSummarization,
  "langchain-context-editing": async () =>
    (await import("./peers/langchain-context-editing.mjs")).langchainContextEditing,
  "ai-sdk-prune": async () => (await import("./peers/ai-sdk-prune.mjs")).aiSdkPrune,
};

parentPort.on("message", async ({ file, policies, window, details }) => {
  const chosen = await Promise.all(policies.map((name) => peers[name]?.() ?? parsePolicies(name)[0]));
  const { result, tallies } = await playConversation(await openConversation(file), {
    policies: chosen,
    window,
    missing: details,
    series: details,
  });
  const descriptions = Object.fromEntries(chosen.map(({ name, description }) => [name, description]));
  parentPort.postMessage({ result, tallies, descriptions }, []);
});

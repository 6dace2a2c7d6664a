// A workflow engine keeps every input of every step. Hand it two ids, not the conversation: its history stays small, and a step
// that is run again on another machine finds everything in the store.
import { createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { createPostgresStore, migrate } from "palimpsest/postgres";
import { createEmbeddedProvider } from "palimpsest/providers";
import assert from "node:assert/strict";
import { postgresVersions, startPostgres } from "../soak/postgres-server.mjs";

const found = postgresVersions().find(({ programs }) => programs !== undefined);
if (found === undefined) {
  console.log(
    `not run: ${postgresVersions()
      .map(({ missing }) => missing)
      .join("; ")}`,
  );
  process.exit(0);
}
const server = await startPostgres(found.programs);
await migrate(server.pool({ max: 1 }));
const store = createPostgresStore({ database: server.pool(), tenant: "acme" });

/** What an engine calls an activity: its input and output are kept for ever, so they are a claim check. */
async function turn({ conversation: id, step, words }) {
  const writer = await store.open(id, { whenBusy: "enqueue" });
  try {
    const { messages } = await store.readLive(id);
    const isSaid = messages.some(({ message }) => JSON.stringify(message ?? "").includes(`step ${step}:`));
    const conversation = createConversation(
      { model: "claude-haiku-4-5", maxTokens: 1000, compaction, provider: createEmbeddedProvider(), writer },
      messages,
    );
    if (!isSaid) await conversation.ask(`step ${step}: ${words}`);
    else if (messages.at(-1)?.type !== "assistant") await conversation.ask();
    return { conversation: id, head: (await store.list()).find((one) => one.id === id)?.bytes };
  } finally {
    await writer.close();
  }
}

/** An engine in five lines: it writes down what goes in and what comes out, and runs a step again where it is not sure. */
const history = [];
async function activity(input) {
  const output = await turn(input);
  history.push(JSON.stringify({ input, output }));
  return output;
}
for (let step = 1; step <= 20; step += 1) {
  const input = { conversation: "c-1", step, words: "look at it once more. ".repeat(3) };
  await activity(input);
  // A worker has died before it could say that it was done: the same step once more.
  if (step % 5 === 0) await activity(input);
}
const kept = history.join("").length;
const { messages } = await store.readAll("c-1");
const said = messages.filter(({ type }) => type === "user").length;
console.log(
  `${history.length} activities, ${kept} bytes of history; ${said} messages of the person in the store`,
);
assert.equal(said, 20, "no step is made twice");
assert.ok(kept < history.length * 300, "the history holds ids, not the conversation");
await server.stop();
process.exit(0);

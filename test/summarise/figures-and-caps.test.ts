import { expect, it } from "vitest";
import { createEventEmitter, type EngineEvents, type Estimator } from "@palimpsest/core";
import { planCompaction } from "@palimpsest/core/engine";
import { compact } from "../../packages/core/src/engine/summarise/compact.js";
import { hooksWith } from "./failures/abort-rows.js";
import { createHost, expectCompacted } from "./host.js";

const padded = (estimator: Estimator): Estimator => ({
  name: estimator.name,
  block: (block) => estimator.block(block),
  message: (message) => estimator.message(message),
  pad: (tokens) => Math.ceil(tokens * 1.4),
});

it("tells the size after as it tells the size before: without the margin of the bar", async () => {
  const host = createHost();
  await host.turns(14);
  const estimator = padded(host.estimator);
  const input = host.input();
  const { provider: _provider, ...ports } = host.ports({ estimator });
  const compacted = expectCompacted(await host.compact({}, { estimator }));
  const messages = compacted.live.reduce((sum, message) => sum + estimator.message(message), 0);
  expect(compacted.tokensAfter).toBe(input.size.overhead + messages);
  expect(compacted.boundary.compactMetadata?.["postTokens"]).toBe(compacted.tokensAfter);
  const plan = await planCompaction(input, ports);
  const extractive = expectCompacted(await compact(input, ports));
  expect(plan).toMatchObject({ kind: "plan", tokensAfter: extractive.tokensAfter });
});

it("says what a provider's block says to a writer that may not be sent the block", async () => {
  const host = createHost({
    model: "claude-opus-5-5",
    isThinking: true,
    settings: { compactServerWriter: true },
  });
  await host.turns(14);
  const first = expectCompacted(await host.compact());
  expect(first.writer).toBe("server");
  host.swap(first);
  await host.turns(10);
  const { params: _params, ...input } = host.input();
  const second = expectCompacted(await compact(input, host.ports()));
  expect(second.writer).toBe("streaming");
  expect(second.failedAttempts).toEqual([]);
  expect(host.problems).toEqual([]);
  const sent = JSON.stringify(host.requests.at(-1)?.request.messages);
  expect(sent).not.toContain('"compaction"');
  expect(sent).toContain(JSON.stringify(first.summary).slice(1, -1));
});

it("lets no hook fill the prompt, the boundary or the screen", async () => {
  const host = createHost();
  await host.turns(14);
  const megabytes = "word ".repeat(800_000);
  const hooks = hooksWith({
    preCompact: () => Promise.resolve({ instructions: megabytes, message: megabytes }),
    sessionStart: () => Promise.resolve({ contexts: [megabytes], message: megabytes }),
    postCompact: () => Promise.resolve({ message: megabytes }),
  });
  const compacted = expectCompacted(await host.compact({}, { hooks }));
  expect(compacted.writer).toBe("fork");
  const most = 10_100;
  expect(String(compacted.boundary.compactMetadata?.["userContext"]).length).toBeLessThan(most);
  expect(compacted.messageForPerson.length).toBeLessThan(3 * most + 100);
  expect(JSON.stringify(compacted.hookResults)).toContain("more characters of this hook are left out");
  const blocked = await host.compact(
    {},
    { hooks: hooksWith({ preCompact: () => Promise.resolve({ block: megabytes }) }) },
  );
  expect(blocked.kind === "failed" && blocked.message.length).toBeLessThan(most);
});

it("tells where the context went, and how much of the calls came from the cache", async () => {
  const host = createHost();
  await host.turns(14);
  const events = createEventEmitter();
  const told: EngineEvents["compact"][] = [];
  events.on("compact", (event) => told.push(event));
  expectCompacted(await host.compact({}, { events }));
  const { provider: _provider, ...withoutModel } = host.ports({ events });
  expectCompacted(await compact(host.input(), withoutModel));
  expect(told[0]?.cacheHitShare).toBeGreaterThan(0.8);
  expect(told[0]?.cacheHitShare).toBeLessThanOrEqual(1);
  expect(told[0]?.accounting.toolResults["Read"]?.count).toBe(14);
  expect(told[1]).not.toHaveProperty("cacheHitShare");
});

import {
  accountTotal,
  createConversation,
  createUserMessage,
  type Conversation,
  type Message,
  type ModelOutput,
  type Outcome,
  type PreparedRequest,
  type Settings,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { isBilledCallsRecord, createCallMeter } from "@palimpsest/core/engine";
import { expect, it } from "vitest";
import { withSummaries } from "../../packages/palimpsest/src/simulator/players/summaries-player.js";
import {
  createEmbeddedProvider,
  type EmbeddedProviderOptions,
} from "../../packages/palimpsest/src/providers/embedded.js";

/** A program's own loop, as docs/account.md shows it. */
function program(
  options: EmbeddedProviderOptions & { readonly model?: string; readonly settings?: Partial<Settings> } = {},
) {
  const provider = createEmbeddedProvider({ ...options, baseMs: 1 });
  const stored: Message[] = [];
  const disk = { isFull: false };
  let ids = 0;
  const conversation = createConversation({
    model: options.model ?? "claude-sonnet-5",
    maxTokens: 1000,
    sessionId: "s",
    clock: { now: Date.now },
    ids: { next: () => `u${(ids += 1)}` },
    compaction,
    provider,
    ...(options.settings === undefined ? {} : { settings: options.settings }),
    writer: {
      async append(messages) {
        if (disk.isFull) throw new Error("the disk is full");
        stored.push(...messages);
      },
      close: async () => {},
    },
  });
  const prepare = async (text: string): Promise<PreparedRequest> => {
    await conversation.append(createUserMessage(conversation.origin(), { content: text }));
    const prepared = await conversation.prepare();
    if (prepared.kind === "held") throw new Error(prepared.message);
    return prepared;
  };
  const send = async (prepared: PreparedRequest): Promise<Outcome> => {
    const meter = createCallMeter(prepared.call.request);
    const { onProgress, onRetry } = meter;
    let last: ModelOutput | undefined;
    for await (const output of provider.stream(prepared.call, { onProgress, onRetry })) {
      meter.see(output);
      last = output;
    }
    await conversation.charge(...meter.cutOff());
    if (last?.kind === "message") return { kind: "response", response: last.message };
    if (last?.kind === "error") return { kind: "failure", failure: last.failure };
    throw new Error("the stream ended without an end");
  };
  return { conversation, provider, stored, disk, prepare, send };
}

const records = (stored: readonly Message[]): readonly Message[] =>
  stored.filter((message) => message.type === "system" && message.subtype === "billed_calls");
const linesOf = (conversation: Conversation) => conversation.account().lines;

it("a program charges what broke off, and its keep-alives, in a few lines", async () => {
  const { conversation, provider, stored, prepare, send } = program();
  provider.faults.set([{ fault: { fault: "cut", events: 1 }, span: { next: 1 } }]);
  const prepared = await prepare("Hello.");
  const outcome = await send(prepared);
  await conversation.observe(prepared, outcome);
  // Told twice, it counts once.
  await conversation.observe(prepared, outcome);
  const usage = { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 900 };
  await conversation.charge({ source: "keep_alive", model: "claude-sonnet-5", usage });
  const [cut, whole] = provider.log.since(0).map(({ verdict }) => verdict);
  expect(linesOf(conversation)).toMatchObject([
    {
      source: "sdk",
      calls: 2,
      inputTokens: (cut?.input ?? 0) + (whole?.input ?? 0),
      cacheReadTokens: (cut?.cacheRead ?? 0) + (whole?.cacheRead ?? 0),
      cacheWrite5mTokens: (cut?.cacheWrite5m ?? 0) + (whole?.cacheWrite5m ?? 0),
      estimated: { calls: 1 },
    },
    { source: "keep_alive", calls: 1, cacheReadTokens: 900 },
  ]);
  expect(records(stored)).toMatchObject([
    { billedCalls: [{ source: "sdk", estimated: "output" }] },
    { billedCalls: [{ source: "keep_alive", usage }] },
  ]);
  expect(conversation.live.some(isBilledCallsRecord)).toBe(false);
});

it("an answer that is thrown away because the window was full is paid for all the same", async () => {
  const long = Array.from({ length: 800 }, (_, at) => `Thought ${at} about the work.`).join("\n");
  const { conversation, stored, prepare, send } = program({
    player: withSummaries({
      answer: (_, memory) => ({ answer: { content: [{ type: "text", text: long }] }, memory }),
    }),
    settings: { keepRecentTokens: 0, keepLastTokens: 0 },
  });
  for (const text of ["One.", "Two.", "Three."]) {
    const prepared = await prepare(text);
    await conversation.observe(prepared, await send(prepared));
  }
  const before = accountTotal(conversation.account()).calls;
  const prepared = await prepare("And now?");
  const outcome = await send(prepared);
  if (outcome.kind === "failure") throw new Error(outcome.failure.message);
  const observed = await conversation.observe(prepared, {
    kind: "response",
    response: { ...outcome.response, stop_reason: "model_context_window_exceeded" },
  });
  expect(observed.kind).toBe("retry");
  const summaries = linesOf(conversation).find(({ source }) => source === "compact")?.calls ?? 0;
  expect(accountTotal(conversation.account()).calls).toBe(before + 1 + summaries);
  expect(records(stored)).toMatchObject([
    { billedCalls: [{ source: "sdk", usage: outcome.response.usage }] },
  ]);
});

it("an answer without usage, and one of a model without prices, are in it", async () => {
  const { conversation, prepare, stored } = program({ model: "somebody-else-1" });
  const prepared = await prepare("Hello.");
  const response = {
    id: "m",
    type: "message",
    role: "assistant",
    model: "somebody-else-1",
    content: [{ type: "text", text: "Some words." }],
    stop_reason: "end_turn",
    stop_sequence: null,
  } as never;
  await conversation.observe(prepared, { kind: "response", response });
  expect(linesOf(conversation)).toMatchObject([
    { model: "somebody-else-1", dollars: 0, unpricedCalls: 1, estimated: { calls: 1 } },
  ]);
  expect(linesOf(conversation)[0]?.inputTokens).toBeGreaterThan(0);
  expect(linesOf(conversation)[0]?.outputTokens).toBeGreaterThan(0);
  expect(records(stored)).toHaveLength(1);
});

it("what cannot be written is written with the next, and nobody is held up", async () => {
  const { conversation, disk, stored } = program();
  const call = { source: "x", model: "claude-sonnet-5", usage: { input_tokens: 1, output_tokens: 1 } };
  disk.isFull = true;
  await conversation.charge(call);
  expect(records(stored)).toEqual([]);
  disk.isFull = false;
  await conversation.charge();
  expect(records(stored)).toMatchObject([{ billedCalls: [call] }]);
  await conversation.charge();
  expect(records(stored)).toHaveLength(1);
  expect(accountTotal(conversation.account()).calls).toBe(1);
});

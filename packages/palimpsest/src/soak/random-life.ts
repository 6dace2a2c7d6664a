import {
  createConversation,
  createUserMessage,
  type ConversationOptions,
  type Message,
  type TranscriptStore,
  type UserBlock,
} from "@palimpsest/core";
import { branches } from "@palimpsest/core/branches";
import { isBilledCallsRecord } from "@palimpsest/core/engine";
import { createEmbeddedProvider, type EmbeddedProvider } from "../providers/embedded.js";
import { withSummaries } from "../simulator/index.js";
import { ensure, ensureSame } from "./ensure.js";
import { createWorld, output, tools, worker } from "./made-up-world.js";
import { LIFE_WINDOW as WINDOW, overtake, refuse } from "./odd-answers.js";
import {
  createKnownModels,
  createPeeking,
  createWatchedTotals,
  ensureSameKnowledge,
} from "./same-knowledge.js";
import { createAgent, driveConversation, handedIn } from "./small-host.js";

/** What may happen in a life. */
export const lifeEvents = [
  "turn",
  "say",
  "say-long",
  "pin",
  "picture",
  "overtake",
  "compact",
  "compact-from",
  "compact-up-to",
  "compact-in-vain",
  "break-summaries",
  "mend-summaries",
  "refuse",
  "charge",
  "clear",
  "pause",
  "undo",
  "rewind",
  "rewind-far",
  "branch",
  "switch-model",
] as const;

export interface LifeEvent {
  readonly kind: (typeof lifeEvents)[number];
  /** Which message, how much: any number. */
  readonly choice: number;
}

export interface LifeOptions {
  readonly store: TranscriptStore;
  /** Of the conversation in the store. */
  readonly id?: string;
  readonly events: readonly LifeEvent[];
  /** Whether the engine may read the transcript to go back. */
  readonly hasHistory: boolean;
  readonly isThinkingBound: boolean;
  readonly cacheEdits: boolean;
  readonly hasNotes: boolean;
  /** Whether summaries that no model gives are written without one. */
  readonly isExtractive: boolean;
  /** Told of what came of an event. */
  readonly onEvent?: (what: string) => Promise<void> | void;
}

const firstModel = (isThinkingBound: boolean): string =>
  isThinkingBound ? "claude-opus-5-5" : "claude-opus-5";

type Moment = Parameters<typeof ensureSameKnowledge>[0]["moment"];
type Shared = Omit<ConversationOptions, "clock" | "ids" | "sessionId" | "provider" | "compaction">;

/** One conversation, and everything that a check needs to make it again. */
interface Life {
  readonly id: string;
  readonly agent: ReturnType<typeof driveConversation>;
  readonly runTool: Parameters<typeof driveConversation>[1]["runTool"];
  readonly hasHistory: boolean;
  readonly shared: Shared;
  readonly momentOf: (id: string) => Moment | undefined;
  readonly models: ReturnType<typeof createKnownModels>;
  /** Calls whose results the host's own stage clears before the next request. */
  readonly wanted: string[];
  /** Texts that have to be sent word for word, in their order. */
  pinned: readonly string[];
  /** What would have been sent when a message was the last one, by model and message. */
  readonly sentAfter: Map<string, string>;
}

/**
 * Plays a random life. After each event a conversation that is resumed from the transcript has to send what the live one
 * would send.
 */
export async function playLife(options: LifeOptions): Promise<void> {
  const { store, events, onEvent } = options;
  const summaries = { areBroken: false };
  const [good, bad] = [withSummaries(worker(true)), withSummaries(worker(true), { mode: "empty" })];
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    cacheEdits: options.cacheEdits,
    player: { answer: (prompt, memory) => (summaries.areBroken ? bad : good).answer(prompt, memory) },
  });
  const place = { provider, store, summaries };
  let life = await begin(options, provider);
  await life.agent.say("Work through the whole project.");
  for (const event of events) {
    if (event.kind === "branch") {
      life = await branch(life, event.choice, place);
      await onEvent?.(event.kind);
      continue;
    }
    const what = await happen(life, { ...event, kind: event.kind }, place);
    await check(life, place);
    await onEvent?.(what);
  }
}

async function begin(options: LifeOptions, provider: EmbeddedProvider): Promise<Life> {
  const { store, id = "s", hasHistory, isThinkingBound } = options;
  const world = createWorld(1500);
  const wanted: string[] = [];
  const models = createKnownModels([[firstModel(isThinkingBound), { scale: 1.1, errors: [0.1] }]]);
  const watched = createWatchedTotals();
  const shared: Shared = {
    model: firstModel(isThinkingBound),
    totals: watched.stage,
    calibrations: models,
    maxTokens: 2000,
    source: "repl_main_thread",
    settings: {
      window: WINDOW,
      reserve: 3000,
      autoCompactBuffer: 2000,
      clearSizeTarget: 3000,
      clearSizeAtLeast: 1500,
      keepRecentTokens: 3000,
      keepLastTokens: 4000,
      compactEarlyLeast: 1,
      notes: options.hasNotes,
      notesFirstTokens: 1500,
      notesTokensBetweenUpdates: 1500,
      notesKeepTokens: 1000,
      notesKeepMostTokens: 4000,
      mediaImages: 4,
      compactExtractive: options.isExtractive,
      breakerFailures: 2,
    },
    system: { custom: "You are an agent." },
    tools: () => tools,
    parameters: { thinking: { type: "adaptive" } },
    state: world.state,
    stages: [{ name: "wanted", perform: () => ({ clear: wanted.splice(0) }) }],
  };
  const writer = await store.open(id);
  const runTool: Life["runTool"] = (call) => world.runTool(call, provider.simulator.now());
  const agent = createAgent({
    provider,
    runTool,
    conversation: { ...shared, writer, branches: branches(historyOf(store, id, hasHistory)) },
  });
  return {
    id,
    agent,
    runTool,
    hasHistory,
    shared,
    wanted,
    pinned: [],
    sentAfter: new Map(),
    models,
    momentOf: (name) => watched.momentOf(name),
  };
}

const historyOf = (store: TranscriptStore, id: string, hasHistory: boolean) =>
  hasHistory ? { history: async () => (await store.readAll(id)).messages } : {};

/** A branch, with which the life may go on. What happens to the one changes nothing in the other. */
async function branch(life: Life, choice: number, place: Place): Promise<Life> {
  const { store, provider } = place;
  const { conversation } = life.agent;
  const sent = JSON.stringify(conversation.requestMessages());
  const id = `${life.id}-${conversation.live.length}-${choice}-${(ids += 1)}`;
  const writer = await store.open(id);
  const other = await conversation.branch({
    sessionId: id,
    writer,
    ...historyOf(store, id, life.hasHistory),
  });
  ensureSame(JSON.stringify(other.requestMessages()), sent, "what a branch sends");
  const twin: Life = {
    ...life,
    id,
    agent: driveConversation(other, { provider, runTool: life.runTool }),
    sentAfter: new Map(),
  };
  await check(twin, place);
  await other.append(createUserMessage(other.origin(), { content: `Another way ${choice}.` }));
  await other.compact();
  await check(twin, place);
  ensureSame(JSON.stringify(conversation.requestMessages()), sent, "what the first one sends");
  const otherSent = JSON.stringify(other.requestMessages());
  await conversation.append(createUserMessage(conversation.origin(), { content: `This way ${choice}.` }));
  await conversation.compact();
  await check(life, place);
  ensureSame(JSON.stringify(other.requestMessages()), otherSent, "what the branch sends");
  return choice % 2 === 0 ? twin : life;
}

interface Place {
  /** How summaries are answered from now on. */
  readonly summaries: { areBroken: boolean };
  readonly provider: EmbeddedProvider;
  readonly store: TranscriptStore;
}

async function happen(
  life: Life,
  { kind, choice }: LifeEvent & { readonly kind: Exclude<LifeEvent["kind"], "branch"> },
  { provider, store, summaries }: Place,
): Promise<string> {
  const { agent } = life;
  const { conversation } = agent;
  const { live } = conversation;
  const pivot = live[choice % Math.max(1, live.length)]?.uuid ?? "";
  switch (kind) {
    case "turn":
      return (await agent.turn()).kind;
    case "say":
      await agent.say(`And also ${choice}.`);
      return kind;
    case "say-long":
      await agent.say(output(choice, 4000 + (choice % 7) * 9000));
      return kind;
    case "pin": {
      const text = `Remember ${choice}-${(ids += 1)}: ${output(choice, 200)}`;
      await conversation.append(createUserMessage(conversation.origin(), { content: text }), { pin: true });
      life.pinned = [...life.pinned, text];
      return kind;
    }
    case "picture":
      await agent.say([picture(), { type: "text", text: `Look at ${choice}.` }]);
      return kind;
    case "overtake":
      return overtake(conversation, provider, choice);
    case "compact":
      return (await conversation.compact()).kind;
    case "compact-from":
      return `${kind} ${(await conversation.compact({ scope: { kind: "from", pivot } })).kind}`;
    case "compact-up-to":
      return `${kind} ${(await conversation.compact({ scope: { kind: "up_to", pivot } })).kind}`;
    case "compact-in-vain":
      return `${kind} ${(await conversation.compact({ signal: AbortSignal.abort() })).kind}`;
    case "break-summaries":
    case "mend-summaries":
      summaries.areBroken = kind === "break-summaries";
      return kind;
    case "refuse":
      return refuse(conversation, provider, choice);
    case "charge":
      await conversation.charge({
        source: "agent:general",
        model: "claude-haiku-4-5",
        usage: { input_tokens: 10 + choice, output_tokens: 3 },
        ...(choice % 2 === 0 ? { estimated: "output" } : {}),
      });
      return kind;
    case "clear":
      life.wanted.push(...callsIn(live).filter((_id, at) => at % 2 === choice % 2));
      return `${kind} ${(await conversation.prepare()).steps.map(({ tier }) => tier).join(" ")}`;
    case "pause":
      provider.simulator.advance(70 * 60_000);
      return (await agent.turn()).kind;
    case "undo":
      return (await conversation.undo()).kind;
    case "rewind":
      return rewind(life, pivot);
    case "rewind-far": {
      const all = (await store.readAll(life.id)).messages;
      return rewind(life, all[choice % all.length]?.uuid ?? "");
    }
    case "switch-model":
      await conversation.switchModel(
        conversation.model === "claude-sonnet-5" ? life.shared.model : "claude-sonnet-5",
      );
      return kind;
  }
}

/** Another object each time, as what comes from a file is: what a response shows of a block stays with the object. */
const picture = (): UserBlock => ({
  type: "image",
  source: {
    type: "base64",
    media_type: "image/png",
    data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  },
});

const callsIn = (live: readonly Message[]): readonly string[] =>
  live.flatMap((message) =>
    message.type === "assistant"
      ? message.message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
      : [],
  );

async function rewind(life: Life, to: string): Promise<string> {
  const { agent, sentAfter } = life;
  const { conversation } = agent;
  const before = conversation.requestMessages();
  const outcome = await conversation.rewind(to);
  if (outcome.kind === "rewound") {
    ensureSame(outcome.live, conversation.live, "the live messages");
    const sent = JSON.stringify(conversation.requestMessages());
    const then = sentAfter.get(`${conversation.model} ${to}`);
    ensureSame(sent, then ?? sent, "what was sent after that message");
    life.pinned = life.pinned.filter((text) => sent.includes(encoded(text)));
    return outcome.kind;
  }
  ensure(outcome.message.length > 20, "a sentence");
  ensureSame(conversation.requestMessages(), before, "what is sent after going back in vain");
  return outcome.reason;
}

let ids = 1_000_000;

async function check(life: Life, { provider, store }: Place): Promise<void> {
  const { conversation } = life.agent;
  await conversation.notes?.idle();
  const { messages, damaged } = await store.readLive(life.id);
  ensureSame(damaged, [], "damaged lines");
  const peeking = createPeeking();
  const resumed = createConversation(
    {
      ...handedIn,
      ...life.shared,
      branches: peeking.stage,
      calibrations: createKnownModels(life.models.entries()),
      model: conversation.model,
      provider,
      sessionId: life.id,
      clock: { now: () => provider.simulator.now() },
      ids: { next: () => `r${(ids += 1)}` },
    },
    messages,
  );
  ensureSame(
    uuidsOf(resumed.live),
    uuidsOf(conversation.live),
    "the live messages of a resumed conversation",
  );
  ensureSame(resumed.requestMessages(), conversation.requestMessages(), "what a resumed conversation sends");
  const moment = life.momentOf(conversation.origin().sessionId);
  ensure(moment !== undefined, "nothing was seen of the live conversation");
  ensureSameKnowledge(
    { conversation: resumed, moment: await peeking.momentOf(resumed) },
    { conversation, moment },
  );
  checkPins(life);
  // After a compaction the last one may be one that it has kept: going back to that takes the compaction back.
  const last = conversation.live.at(-1)?.uuid;
  const stored = (await store.readAll(life.id)).messages.findLast((message) => !isBilledCallsRecord(message));
  if (stored === undefined || (stored.uuid !== last && !("overtakes" in stored))) return;
  life.sentAfter.set(`${conversation.model} ${last}`, JSON.stringify(conversation.requestMessages()));
}

/** As it stands inside of JSON. */
const encoded = (text: string): string => JSON.stringify(text).slice(1, -1);

/** What is pinned is sent word for word and in its order; a summary may quote it besides. */
function checkPins({ agent: { conversation }, pinned }: Life): void {
  const sent = JSON.stringify(conversation.requestMessages());
  let last = -1;
  for (const text of pinned) {
    const at = sent.lastIndexOf(encoded(text));
    ensure(at > last, `something pinned is lost, or not in its place: ${text.slice(0, 40)}`);
    last = at;
  }
}

const uuidsOf = (messages: readonly Message[]): readonly string[] => messages.map(({ uuid }) => uuid);

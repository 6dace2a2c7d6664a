import { createAssistantMessage, createUserMessage } from "../messages/construct.js";
import { compaction } from "../engine/conversation/compaction-stage.js";
import type { ConversationOptions } from "../engine/conversation/conversation-options.js";
import type { Conversation } from "../engine/conversation/conversation-api.js";
import { createEventEmitter } from "../engine/events/emitter.js";
import { machineClock } from "../engine/conversation/defaults.js";
import { createConversation } from "../engine/conversation/conversation.js";
import { totals } from "../engine/conversation/totals.js";
import type { ModelProvider } from "../engine/ports/model-provider.js";
import type { AdapterOptions } from "./adapter-options.js";
import { eventsFor, NO_WRITER, type ToldThread } from "./adapter-telling.js";
import { askWithRetries } from "./ask-with-retries.js";
import type { PrefixNode } from "../tree/prefix-tree.js";
import { ThreadTranscript, type StoredThread, type ThreadFacts } from "./thread-transcript.js";
import type { GivenMessage, TurnInput } from "./turn-input.js";

/** A conversation of an adapter, and how far it has come. */
export interface Thread extends ToldThread {
  readonly session: string;
  /** Tokens of an answer, as they were when it began. */
  readonly maxTokens: number;
  readonly conversation: Conversation;
  readonly transcript: ThreadTranscript;
  /** The list that it has taken in, and where that is: with an answer after it, another place. */
  node: PrefixNode;
  place: string;
  /** What is stored of it last, and the list that this was stored for, where it was no answer. */
  saved: { readonly key: string; readonly node?: string } | undefined;
  /** What the framework asks for now. */
  readonly now: { input: TurnInput };
  /** The request that is on its way. */
  open: object | undefined;
  pending: Promise<void> | undefined;
}

/** Adds a message of the framework's to a conversation. */
export async function take(
  { conversation, transcript }: Thread,
  message: GivenMessage,
  { place, model }: { readonly place: number; readonly model: string },
): Promise<void> {
  const origin = conversation.origin();
  transcript.noteGiven(message.content, place);
  if (message.role === "user") {
    const { content, isMeta = false, isPinned: pin = false } = message;
    const said = createUserMessage(origin, { content, ...(isMeta ? { isMeta } : {}) });
    await conversation.append(said, { pin });
  } else {
    const { content } = message;
    await conversation.append(createAssistantMessage(origin, { id: origin.ids.next(), model, content }));
  }
}

/** Where a conversation begins: at the beginning, or where it was stored. */
export interface ThreadStart {
  readonly facts: ThreadFacts;
  /** The empty beginning of its list, or what it has taken in. */
  readonly node: PrefixNode;
  readonly place: string;
  readonly saved?: Thread["saved"];
  readonly stored?: StoredThread;
}

/** A conversation, new or stored. */
export function createThread(options: AdapterOptions, input: TurnInput, start: ThreadStart): Thread {
  const { clock = machineClock, provider, notes, onStep: _told, ...others } = options;
  const {
    retry = {},
    ports = {},
    events: given = createEventEmitter(),
    store: _store,
    maxThreads: _most,
    maxHeldCharacters: _held,
    ...engine
  } = others;
  const { facts, node, place, saved, stored } = start;
  const { session: sessionId, model, maxTokens } = facts;
  const transcript = stored?.transcript ?? new ThreadTranscript();
  // No two conversations that go on from the same place share what comes after it.
  const idStart = (saved?.key ?? place).slice(0, 16);
  let made = 0;
  const now = { input };
  const asked: ModelProvider = {
    name: "framework",
    capabilities: () => now.input.capabilities,
    async *stream({ request }, call = {}) {
      const { ask } = now.input;
      const once = async () => {
        if (ask === undefined) throw new Error("the framework handed no model out");
        return ask(request, call.signal);
      };
      yield await askWithRetries(once, { call, settings: retry, ports, now: () => clock.now() });
    },
  };
  const summaries = provider ?? (input.ask === undefined ? undefined : asked);
  const told: ToldThread = {
    ids: { sessionId, ...(input.key === undefined ? {} : { threadId: input.key }) },
    hasWriter: summaries !== undefined,
  };
  const events = eventsFor(given, told);
  if (!told.hasWriter)
    events.emit("summary_writer_missing", { model: input.model, message: `${sessionId}: ${NO_WRITER}` });
  return {
    ...told,
    session: sessionId,
    maxTokens,
    transcript,
    conversation: createConversation(
      {
        ...engine,
        events,
        compaction,
        totals,
        writer: transcript,
        ...(notes === undefined ? {} : { notes: notes(sessionId) }),
        capabilities: options.capabilities ?? input.capabilities,
        model,
        maxTokens,
        sessionId,
        clock,
        ids: { next: () => `${idStart}-${(made += 1)}` },
        // Asked for every request: frameworks may change both in the middle.
        system: {
          get custom() {
            return now.input.system;
          },
        },
        tools: () => now.input.tools.map((definition) => ({ definition })),
        parameters: parametersOf(now),
        absentTools: "remove",
        ...(summaries === undefined ? {} : { provider: summaries }),
      },
      stored?.live,
    ),
    node,
    place,
    saved,
    now,
    open: undefined,
    pending: undefined,
  };
}

/** What else belongs to the cache key of a request. Asked for every request, as above. */
function parametersOf(now: Thread["now"]): NonNullable<ConversationOptions["parameters"]> {
  return {
    get thinking() {
      return now.input.thinking;
    },
    get tool_choice() {
      return now.input.toolChoice;
    },
    get extraBody() {
      const { format } = now.input;
      return format === undefined ? undefined : { output_config: { format } };
    },
  } as NonNullable<ConversationOptions["parameters"]>;
}

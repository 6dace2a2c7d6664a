import { createAssistantMessage, createUserMessage } from "../messages/construct.js";
import { compaction } from "../engine/conversation/compaction-stage.js";
import type { ConversationOptions } from "../engine/conversation/conversation-options.js";
import type { Conversation } from "../engine/conversation/conversation-api.js";
import { createEventEmitter } from "../engine/events/emitter.js";
import { machineClock } from "../engine/conversation/defaults.js";
import { createConversation } from "../engine/conversation/conversation.js";
import type { ModelProvider } from "../engine/ports/model-provider.js";
import type { AdapterOptions } from "./adapter-options.js";
import { eventsFor, NO_WRITER, type ToldThread } from "./adapter-telling.js";
import { askWithRetries } from "./ask-with-retries.js";
import type { GivenMessage, TurnInput } from "./turn-input.js";

/** A conversation of an adapter, and how far it has come. */
export interface Thread extends ToldThread {
  readonly key: string;
  readonly conversation: Conversation;
  /** What the conversation has taken in: a print for each message of the framework's list. */
  known: readonly string[];
  /** What the framework asks for now. */
  readonly now: { input: TurnInput };
  /** The request that is on its way. */
  open: object | undefined;
  pending: Promise<void> | undefined;
}

/** Adds a message of the framework's to a conversation. */
export async function take(conversation: Conversation, message: GivenMessage, model: string): Promise<void> {
  const origin = conversation.origin();
  if (message.role === "user") {
    const { content, isMeta = false, isPinned: pin = false } = message;
    const said = createUserMessage(origin, { content, ...(isMeta ? { isMeta } : {}) });
    await conversation.append(said, { pin });
  } else {
    const { content } = message;
    await conversation.append(createAssistantMessage(origin, { id: origin.ids.next(), model, content }));
  }
}

/** A new conversation. `number` tells it apart from every other of the adapter. */
export function createThread(options: AdapterOptions, input: TurnInput, number: number): Thread {
  const { clock = machineClock, provider, notes, maxThreads: _most, onStep: _told, ...others } = options;
  const { retry = {}, ports = {}, events: given = createEventEmitter(), ...engine } = others;
  const sessionId = input.key ?? `thread-${number}`;
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
    key: input.key ?? "",
    conversation: createConversation({
      ...engine,
      events,
      compaction,
      ...(notes === undefined ? {} : { notes: notes(sessionId) }),
      capabilities: options.capabilities ?? input.capabilities,
      model: input.model,
      maxTokens: input.maxTokens,
      sessionId,
      clock,
      ids: { next: () => `${sessionId}-${number}-${(made += 1)}` },
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
    }),
    known: [],
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

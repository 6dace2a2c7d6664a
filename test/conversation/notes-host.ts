import {
  createUserMessage,
  type ConversationOptions,
  type EngineEvents,
  type Message,
  type ModelCall,
  type NotesStore,
  type Settings,
} from "@palimpsest/core";
import type { Compacted, CompactionFailed } from "@palimpsest/core/compaction";
import { createMemoryNotesStore, keepNotes } from "@palimpsest/core/notes";
import { withSummaries, type Answer, type Player } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { output, tools, worker } from "./world.js";
import { textCounter } from "../text-counter.js";

export const WINDOW = 40_000;
export const NOTES_PATH = "/data/c1/session-memory/summary.md";

const editTool = {
  definition: {
    name: "Edit",
    description: "edits a file",
    input_schema: {
      type: "object",
      properties: {
        file_path: { type: "string" },
        old_string: { type: "string" },
        new_string: { type: "string" },
      },
      required: ["file_path", "old_string", "new_string"],
    },
  },
};
export const withoutEdit = tools.filter(({ definition }) => definition.name !== "Edit");

export const says = (text: string): Answer => ({ content: [{ type: "text", text }] });

/** Who wrote the summary, or why there is none. */
export const writerOf = (outcome: Compacted | CompactionFailed): string =>
  outcome.kind === "compacted" ? outcome.writer : outcome.reason;

/** What a request says last, as one text. */
export const lastTextOf = ({ request }: ModelCall): string => JSON.stringify(request.messages.at(-1));

const isNotesCall = (call: ModelCall): boolean =>
  JSON.stringify(call.request.messages.slice(-8)).includes("Bring the notes file ");

/** A player for whom `answer` speaks where the notes are asked for, and again after its calls. */
export function notesPlayer(answer: (asked: number) => Answer, inner: Player = worker(false)): Player {
  const others = withSummaries(inner);
  let asked = 0;
  return {
    answer(prompt, memory) {
      if (!JSON.stringify(prompt.messages.slice(-8)).includes("Bring the notes file ")) {
        return others.answer(prompt, memory);
      }
      asked += 1;
      return { answer: answer(asked), memory };
    },
  };
}

export interface NotesHostOptions {
  readonly settings?: Partial<Settings>;
  readonly player?: Player;
  readonly store?: NotesStore;
  readonly conversation?: Partial<ConversationOptions>;
  readonly messages?: readonly Message[];
  readonly firstId?: number;
}

/** A host with notes on and a small window, whose calls for notes can be held back. */
export function startNotesHost(options: NotesHostOptions = {}) {
  const { player = withSummaries(worker(false)), store = createMemoryNotesStore(NOTES_PATH) } = options;
  const embedded = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window: WINDOW,
    counter: textCounter,
    player,
    maxRetries: 0,
  });
  const calls: ModelCall[] = [];
  const others: ModelCall[] = [];
  let gate: Promise<void> = Promise.resolve();
  let open = (): void => {};
  const provider: typeof embedded = {
    ...embedded,
    async *stream(call, given) {
      (isNotesCall(call) ? calls : others).push(call);
      if (isNotesCall(call)) await gate;
      yield* embedded.stream(call, given);
    },
  };
  const timers: { readonly milliseconds: number; readonly fire: () => void; isStopped: boolean }[] = [];
  const agent = createAgent({
    provider,
    runTool: ({ id }) => ({ type: "tool_result", tool_use_id: id, content: output(id.length, 4000) }),
    ...(options.messages === undefined ? {} : { messages: options.messages }),
    ...(options.firstId === undefined ? {} : { firstId: options.firstId }),
    conversation: {
      model: "claude-opus-5",
      maxTokens: 2000,
      source: "repl_main_thread",
      system: { custom: "You are an agent." },
      tools: () => [...withoutEdit, editTool],
      notes: keepNotes({ store }),
      timer: {
        after(milliseconds, fire) {
          const timer = { milliseconds, fire, isStopped: false };
          timers.push(timer);
          return () => void (timer.isStopped = true);
        },
      },
      ...options.conversation,
      settings: {
        window: WINDOW,
        reserve: 6000,
        autoCompactBuffer: 3000,
        keepRecentTokens: 2000,
        disableClearing: true,
        notes: true,
        notesFirstTokens: 4000,
        notesTokensBetweenUpdates: 2000,
        notesKeepTokens: 2000,
        notesKeepMessages: 0,
        notesKeepMostTokens: 8000,
        ...options.settings,
      },
    },
  });
  const { conversation } = agent;
  const updates: EngineEvents["notes_extracted"][] = [];
  const overs: EngineEvents["notes_over_threshold"][] = [];
  conversation.events.on("notes_extracted", (event) => updates.push(event));
  conversation.events.on("notes_over_threshold", (event) => overs.push(event));
  return {
    agent,
    conversation,
    provider,
    store,
    /** Calls that asked for the notes, and all others. */
    calls,
    others,
    timers,
    updates,
    overs,
    /** From here on calls for notes hang, until they are released. */
    hold: () => {
      gate = new Promise((resolve) => (open = resolve));
    },
    release: () => {
      open();
      gate = Promise.resolve();
    },
    /** Works until the context has so many tokens, with or without waiting for the notes. */
    async workUntil(tokens: number, { isWaiting = true } = {}): Promise<void> {
      while (conversation.size().tokens < tokens) {
        const outcome = await agent.turn();
        if (outcome.kind === "held") throw new Error(outcome.message);
        if (isWaiting) await conversation.notes?.idle();
      }
    },
    /** Works until the conversation is compacted, or something else is done to it. */
    async workUntilStep(): Promise<void> {
      const { length } = agent.steps;
      while (agent.steps.length === length) {
        const outcome = await agent.turn();
        if (outcome.kind === "held") throw new Error(outcome.message);
        await conversation.notes?.idle();
      }
    },
    /** Fills the window up to where the next request has to make room. */
    async fill(): Promise<void> {
      while (conversation.size().padded < conversation.size().thresholds.autoCompactAt) {
        await conversation.append(
          createUserMessage(conversation.origin(), { content: output(agent.ids(), 3000) }),
        );
      }
    },
    records: () =>
      conversation.live.filter(
        (message) => message.type === "system" && message.subtype === "session_memory",
      ),
  };
}

/** Lets everything happen that needs no further event. */
export const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

import {
  createAttachmentMessage,
  createConversation,
  createUserMessage,
  messagesApiCapabilities,
  type AssistantBlock,
  type Conversation,
  type Message,
  type ModelCall,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type Settings,
  type TranscriptStore,
} from "@palimpsest/core";
import { compaction, type CompactionScope } from "@palimpsest/core/compaction";
import { endOf, untilAnswered } from "@palimpsest/core/engine";
import { createMemoryNotesStore, keepNotes } from "@palimpsest/core/notes";
import { findProblems } from "@palimpsest/core/validity";
import type { Said } from "./said.js";

/** How the model that writes summaries behaves. */
export type Writer =
  | "none"
  | "fails"
  | "forgets"
  | "untitled"
  | "echoes"
  | "misplaces"
  | "doubles"
  | "server";

export interface PersonOptions {
  readonly writer: Writer;
  readonly hasNotes: boolean;
  readonly model: string;
  readonly settings?: Partial<Settings>;
  /** Where the transcript is kept; without one the conversation is not resumed. */
  readonly store?: TranscriptStore;
}

const HOUR = 3_600_000;

interface Answer {
  readonly model: string;
  readonly id: string;
  readonly content: readonly AssistantBlock[];
  readonly request: ModelRequest;
}

const response = ({ model, id, content, request }: Answer): ModelResponse => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
  stop_sequence: null,
  usage: {
    input_tokens: Math.ceil(JSON.stringify(request.messages).length / 3.5),
    output_tokens: Math.ceil(JSON.stringify(content).length / 3.5),
  },
});

const TITLES = [
  "Primary request and intent",
  "Key technical concepts",
  "Files and code sections",
  "Errors and fixes",
  "Problem solving",
  "All user messages",
  "Pending tasks",
  "Current work",
  "Optional next step",
];

const summaryOf = (bodies: Readonly<Record<number, string>>): string =>
  `<analysis>\nhm\n</analysis>\n<summary>\n${TITLES.map((title, at) => `${at + 1}. ${title}:\n   ${bodies[at + 1] ?? "Nothing much."}`).join("\n\n")}\n</summary>`;

/** A conversation with a person in it, on its way through whatever the engine does to it. */
export async function createPerson(options: PersonOptions) {
  const { writer, hasNotes, model, store } = options;
  let ids = 0;
  let calls = 0;
  let now = Date.UTC(2026, 10, 16, 9);
  const said: (readonly string[])[] = [];
  const provider: ModelProvider = {
    name: "scripted",
    capabilities: () => ({ ...messagesApiCapabilities, contextEdits: false }),
    async *stream(call: ModelCall) {
      const problems = findProblems(call.request, { betas: call.betas ?? [] });
      if (problems.length > 0) throw new Error(JSON.stringify(problems));
      if (writer === "fails") {
        yield {
          kind: "error",
          failure: { kind: "overloaded", message: "busy", retryable: false },
        };
        return;
      }
      calls += 1;
      yield {
        kind: "message",
        message: response({ model, id: `side${calls}`, content: answerTo(call), request: call.request }),
      };
    },
  };
  const answerTo = (call: ModelCall): readonly AssistantBlock[] => {
    if (call.request["compaction"] !== undefined && writer === "server") {
      return [{ type: "compaction", content: "The provider's own words." }];
    }
    const all = said.flat().join("\n");
    const text =
      writer === "untitled"
        ? "They talked about things."
        : writer === "echoes"
          ? summaryOf({ 6: all })
          : writer === "misplaces"
            ? summaryOf({ 1: all, 6: "   - see section 1" })
            : writer === "doubles"
              ? `${summaryOf({ 6: all.slice(0, all.length / 2) })}\n${summaryOf({ 6: all.slice(all.length / 3) })}`
              : summaryOf({});
    return [{ type: "text", text }];
  };
  const notesStore = createMemoryNotesStore();
  let open = store === undefined ? undefined : await store.open("words");
  const create = (messages: readonly Message[]): Conversation =>
    createConversation(
      {
        model,
        maxTokens: 4000,
        sessionId: "words",
        source: "repl_main_thread",
        clock: { now: () => now },
        ids: { next: () => `u${(ids += 1)}` },
        compaction,
        ...(writer === "none" ? {} : { provider }),
        ...(hasNotes ? { notes: keepNotes({ store: notesStore }) } : {}),
        ...(open === undefined ? {} : { writer: open }),
        transcriptPath: "/data/words.jsonl",
        settings: {
          notes: hasNotes,
          notesFirstTokens: 200,
          notesTokensBetweenUpdates: 200,
          notesKeepTokens: 300,
          notesKeepMessages: 0,
          mediaImages: 3,
          compactServerWriter: writer === "server",
          ...options.settings,
        },
      },
      messages,
    );
  /** What happened, by kind. */
  const happened = new Map<string, number>();
  const count = (what: string): void => void happened.set(what, (happened.get(what) ?? 0) + 1);
  const begin = (messages: readonly Message[]): Conversation => {
    const created = create(messages);
    created.events.on("compact", (event) => count(`${event.variant} by ${event.writer}`));
    created.events.on("compact_failed", (event) => count(`failed: ${event.reason}`));
    created.events.on("clearing", (event) => count(event.variant));
    created.events.on("media_replaced", () => count("media"));
    return created;
  };
  let conversation = begin([]);
  const prepared = async (): Promise<Awaited<ReturnType<Conversation["prepare"]>>> => {
    const request = await conversation.prepare();
    if (request.kind !== "request") return request;
    const problems = findProblems(request.built.request, { betas: request.built.betas });
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    return request;
  };
  const answer = async (content: readonly AssistantBlock[]): Promise<boolean> => {
    const end = await endOf(
      untilAnswered({
        prepare: prepared,
        async send({ built: { request } }) {
          calls += 1;
          return {
            kind: "response",
            response: response({ model, id: `m${calls}`, content, request }),
          } as const;
        },
        observe: (request, outcome) => conversation.observe(request, outcome),
      }),
    );
    return end.kind === "accepted";
  };
  const person = {
    /** The texts of each message. */
    said,
    happened,
    get conversation() {
      return conversation;
    },
    async say({ kind, content, texts: words }: Said) {
      const origin = conversation.origin();
      await conversation.append(
        kind === "queued"
          ? createAttachmentMessage(origin, {
              type: "queued_command",
              prompt: content,
              commandMode: "prompt",
            })
          : createUserMessage(origin, { content }),
      );
      said.push(words);
    },
    /** A round with calls; the person may say something between them and their results, or beside a result. */
    async work(size: number, meanwhile?: Said, beside?: Said) {
      const count = 1 + (size % 3);
      const names = Array.from({ length: count }, (_, at) => `t${calls + 1}_${at}`);
      const isAnswered = await answer(
        names.map((id) => ({
          type: "tool_use" as const,
          id,
          name: "Read",
          input: { file_path: `/work/${id}.ts` },
        })),
      );
      if (!isAnswered) return;
      if (meanwhile !== undefined) await person.say(meanwhile);
      const [first = ""] = said.flat();
      const quoted = first.slice(0, 400);
      const besides = beside?.kind === "message" && Array.isArray(beside.content) ? beside.content : [];
      await conversation.append(
        createUserMessage(conversation.origin(), {
          content: [
            ...names.map((id) => ({
              type: "tool_result" as const,
              tool_use_id: id,
              // What tools return quotes people too: that is nobody's word.
              content: `${quoted}\n${`line of ${id} `.repeat(size * 150)}`,
            })),
            ...besides,
          ],
        }),
      );
      if (besides.length > 0) said.push(beside?.texts ?? []);
    },
    finish: () => answer([{ type: "text", text: "Done so far." }]),
    async pause() {
      now += 3 * HOUR;
      await prepared();
    },
    async prepare() {
      now += 1000;
      await prepared();
    },
    async compact(scope: CompactionScope | undefined) {
      now += 1000;
      const outcome = await conversation.compact(scope === undefined ? {} : { scope });
      return outcome.kind === "compacted" ? outcome : undefined;
    },
    async undo() {
      if ((await conversation.undo()).kind === "undone") count("undone");
    },
    async resume() {
      if (store === undefined) return;
      await conversation.notes?.idle();
      await open?.close();
      open = await store.open("words");
      conversation = begin((await store.readLive("words")).messages);
    },
    async end() {
      await conversation.notes?.idle();
      await open?.close();
    },
  };
  return person;
}

export type Person = Awaited<ReturnType<typeof createPerson>>;

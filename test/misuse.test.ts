import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { APIConnectionError, APIUserAbortError } from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createConversation,
  isPalimpsestError,
  type Conversation,
  type ModelResponse,
  type PreparedRequest,
} from "@palimpsest/core";
import { branches } from "@palimpsest/core/branches";
import { compaction } from "@palimpsest/core/compaction";
import { createSystemPrompt, section, volatileSection } from "@palimpsest/core/engine";
import { fit } from "@palimpsest/core/fit";
import { messagesFromAnthropic, messagesFromList } from "@palimpsest/core/import";
import { keepNotes } from "@palimpsest/core/notes";
import { decodeError } from "@palimpsest/core/protocols";
import { priceOf } from "@palimpsest/core/totals";
import { createRecall } from "../packages/palimpsest/src/agent/recall/index.js";
import { createEmbeddedProvider } from "../packages/palimpsest/src/providers/index.js";
import {
  createEchoPlayer,
  createRecordingPlayer,
  createScriptPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
} from "../packages/palimpsest/src/simulator/index.js";
import {
  createBreakDiffDirectory,
  createCalibrationFile,
  createJsonlStore,
  createMemoryStore,
  createNotesFile,
  createOverflowFiles,
} from "../packages/palimpsest/src/stores/index.js";

/** What programs without types write. */
// oxlint-disable-next-line typescript/no-explicit-any -- the point is what the types would refuse
type Wrong = any;

const model = "claude-opus-5";
const options = { model, maxTokens: 1000, compaction };
const created = (wrong: Wrong): Conversation => createConversation({ ...options, ...wrong });
const hello = { role: "user", content: "hello" } as const;
const response: ModelResponse = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model,
  content: [{ type: "text", text: "Hello." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
};
const answered = { kind: "response", response } as const;

/** A conversation that waits for the answer to its first request. */
async function waiting(): Promise<{
  readonly conversation: Conversation;
  readonly prepared: PreparedRequest;
  readonly observe: (...wrong: Wrong[]) => Promise<unknown>;
}> {
  const conversation = created({});
  await conversation.append(hello);
  const prepared = await conversation.prepare();
  if (prepared.kind === "held") throw new Error(prepared.message);
  const observe = (...wrong: Wrong[]): Promise<unknown> =>
    (conversation.observe as (...given: Wrong[]) => Promise<unknown>)(...wrong);
  return { conversation, prepared, observe };
}

const asked = (...wrong: Wrong[]): Promise<unknown> =>
  (created({ provider: createEmbeddedProvider() }).ask as (...given: Wrong[]) => Promise<unknown>)(...wrong);

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-misuse-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const OBSERVE =
  'observe: takes a request of `prepare()`, and `{ kind: "response", response }` or `{ kind: "failure", failure }`';
const TOOLS =
  "createConversation: `tools` must be a list with `{ definition }` of each tool, or a function that gives one";
const SYSTEM =
  "createConversation: `system` must be a text, text blocks, `{ custom: text }`, or `{ prompt }` of createSystemPrompt";
const CONTENT = "ask: the content must be a text or a list of blocks, and not be empty";
const badId = (shown: string): string =>
  `${shown} cannot name a conversation: use 1 to 128 letters, digits, dots, dashes and underscores, with a letter or digit first.`;

/** What was written, the code of the error, and its whole sentence. */
const misuses: readonly (readonly [name: string, call: () => unknown, code: string, sentence: string])[] = [
  [
    "createConversation()",
    () => (createConversation as Wrong)(),
    "bad_option",
    "createConversation: the options must be an object",
  ],
  [
    "no compaction",
    () => created({ compaction: undefined }),
    "bad_option",
    'createConversation: `compaction` must be handed in: the one of @palimpsest/core/compaction, or "none"',
  ],
  [
    "an empty model",
    () => created({ model: "" }),
    "bad_option",
    "createConversation: `model` must be a name",
  ],
  [
    "maxTokens: 0",
    () => created({ maxTokens: 0 }),
    "bad_option",
    "createConversation: `maxTokens` must be a number above 0",
  ],
  [
    "maxTokens below 0",
    () => created({ maxTokens: -1 }),
    "bad_option",
    "createConversation: `maxTokens` must be a number above 0",
  ],
  [
    "maxTokens as a text",
    () => created({ maxTokens: "1000" }),
    "bad_option",
    "createConversation: `maxTokens` must be a number above 0",
  ],
  [
    "an empty sessionId",
    () => created({ sessionId: "" }),
    "bad_option",
    "createConversation: `sessionId` must be a name",
  ],
  [
    "tools without a definition",
    () => created({ tools: [{ name: "Read", input_schema: { type: "object" } }] }),
    "bad_option",
    TOOLS,
  ],
  [
    "a function that gives such tools",
    () => created({ tools: () => [{ name: "Read" }] }),
    "bad_option",
    TOOLS,
  ],
  ["a definition without a name", () => created({ tools: [{ definition: {} }] }), "bad_option", TOOLS],
  [
    "two tools of one name",
    async () => {
      const definition = { name: "Read", input_schema: { type: "object" } };
      const conversation = created({ tools: [{ definition }, { definition }] });
      await conversation.append(hello);
      return conversation.prepare();
    },
    "bad_option",
    'there are two tools named "Read"',
  ],
  ["system with another field", () => created({ system: { text: "You are brief." } }), "bad_option", SYSTEM],
  ["system with a picture", () => created({ system: [{ type: "image" }] }), "bad_option", SYSTEM],
  [
    "an unknown setting",
    () => created({ settings: { windwo: 100_000 } }),
    "bad_option",
    'there is no setting "windwo"',
  ],
  [
    "a window below 0",
    () => created({ settings: { window: -1 } }),
    "bad_option",
    "the setting window cannot be -1: it takes a whole number, 1 or more",
  ],
  [
    "a reserve below 0",
    () => created({ settings: { reserve: -5 } }),
    "bad_option",
    "the setting reserve cannot be -5: it takes a whole number, 0 or more",
  ],
  [
    "settings as a text",
    () => created({ settings: "fast" }),
    "bad_option",
    "createConversation: `settings` must be an object",
  ],
  [
    "notes switched on and not handed in",
    () => created({ settings: { notes: true } }),
    "bad_option",
    "the setting notes needs keepNotes() of @palimpsest/core/notes, handed in as `notes`",
  ],
  [
    "keepNotes, not keepNotes()",
    () => created({ notes: keepNotes }),
    "bad_option",
    "createConversation: `notes` must be keepNotes() of @palimpsest/core/notes",
  ],
  [
    "branches, not branches()",
    () => created({ branches }),
    "bad_option",
    "createConversation: `branches` must be branches() of @palimpsest/core/branches",
  ],
  [
    "a provider by its name",
    () => created({ provider: "anthropic" }),
    "bad_option",
    "createConversation: `provider` needs `stream()`",
  ],
  [
    "a store for a writer",
    () => created({ writer: createMemoryStore() }),
    "bad_option",
    "createConversation: `writer` must be what `open()` of a store resolves with",
  ],
  [
    "a function for events",
    () => created({ events: () => {} }),
    "bad_option",
    "createConversation: `events` must be made by createEventEmitter()",
  ],
  [
    "a stage that is a function",
    () => created({ stages: [() => {}] }),
    "bad_option",
    "createConversation: `stages` must be a list of `{ name, perform }`",
  ],
  [
    "one message for the list",
    () => createConversation(options, hello as Wrong),
    "bad_option",
    "createConversation: the messages must be a list",
  ],
  [
    "append(text)",
    () => created({}).append("hello" as Wrong),
    "bad_message",
    "message 0 must be an object with a role and content",
  ],
  [
    "append(list)",
    () => created({}).append([hello] as Wrong),
    "bad_message",
    "message 0 must be an object with a role and content",
  ],
  [
    "append of what the system says",
    () => created({}).append({ role: "system", content: "Be brief." }),
    "bad_message",
    "message 0 has the role system; what the system says is the option `system`",
  ],
  [
    "append without content",
    () => created({}).append({ role: "user" } as Wrong),
    "bad_message",
    "the content of message 0 must be a string or a list of parts",
  ],
  [
    "observe(prepared, response)",
    async () => {
      const { prepared, observe } = await waiting();
      return observe(prepared, response);
    },
    "bad_option",
    OBSERVE,
  ],
  ["observe(response)", async () => (await waiting()).observe(response), "bad_option", OBSERVE],
  [
    "observe(held)",
    async () => {
      const conversation = created({});
      return conversation.observe((await conversation.prepare()) as Wrong, answered);
    },
    "bad_option",
    OBSERVE,
  ],
  [
    "observe(prepared.call, outcome)",
    async () => {
      const { prepared, observe } = await waiting();
      return observe(prepared.call, answered);
    },
    "bad_option",
    OBSERVE,
  ],
  [
    "observe with an exception",
    async () => {
      const { prepared, observe } = await waiting();
      return observe(prepared, { kind: "failure", failure: new Error("no") });
    },
    "bad_option",
    OBSERVE,
  ],
  ['switchModel("")', () => created({}).switchModel(""), "bad_option", "switchModel: `model` must be a name"],
  [
    "switchModel with maxTokens: 0",
    () => created({}).switchModel(model, { maxTokens: 0 }),
    "bad_option",
    "switchModel: `maxTokens` must be a number above 0",
  ],
  [
    "ask without a provider",
    () => created({}).ask("hello"),
    "no-provider",
    "There is nobody to ask: hand in a `provider`.",
  ],
  ['ask("")', () => asked(""), "bad_option", CONTENT],
  ["ask(message)", () => asked(hello), "bad_option", CONTENT],
  [
    "ask with maxTurns: 0",
    () => asked("hello", { maxTurns: 0 }),
    "bad_option",
    "ask: `maxTurns` must be a number above 0",
  ],
  [
    "compact(text)",
    () => created({}).compact("be short" as Wrong),
    "bad_option",
    "compact: the options must be an object",
  ],
  [
    "charge(usage)",
    () => created({}).charge({ input_tokens: 1 } as Wrong),
    "bad_option",
    "charge: each call must be `{ source, model, usage }`",
  ],
  [
    "branch without branches",
    () => created({}).branch(),
    "bad_option",
    "Hand in `branches` of @palimpsest/core/branches.",
  ],
  [
    "branch(id)",
    () => created({ branches: branches() }).branch("other" as Wrong),
    "bad_option",
    "branch: the options must be an object, such as `{ sessionId, writer }`",
  ],
  [
    "a history that is a list",
    () => branches({ history: [] as Wrong }),
    "bad_option",
    "branches: `history` must be a function that gives everything that was stored",
  ],
  [
    "fit without options",
    () => fit([hello], undefined as Wrong),
    "bad_option",
    "fit: the options must be an object, with the `model` at least",
  ],
  [
    "fit without a list",
    () => fit({ model } as Wrong, { model }),
    "bad_option",
    "fit: first comes a list of messages, or what an importer has made of one",
  ],
  [
    "fit with max_tokens",
    () => fit([hello], { model, max_tokens: 5 } as Wrong),
    "bad_option",
    "fit: there is no option `max_tokens`",
  ],
  [
    "fit with tools of a conversation",
    () => fit([hello], { model, tools: [{ definition: { name: "Read" } }] as Wrong }),
    "bad_option",
    "fit: `tools` must be a list of definitions, each with its `name`",
  ],
  [
    "fit with the system of a conversation",
    () => fit([hello], { model, system: { custom: "Be brief." } as Wrong }),
    "bad_option",
    "fit: `system` must be a text or a list of text blocks",
  ],
  [
    "an importer without a list",
    () => messagesFromAnthropic({ messages: [] } as Wrong),
    "bad_message",
    "the messages must be a list, and are of the type object",
  ],
  [
    "a list of nothing known",
    () => messagesFromList(["hello"]),
    "bad_message",
    "the list is not one of messages: those of Anthropic, OpenAI chat, the AI SDK, LangChain and OpenCode are known",
  ],
  [
    "two sections of one name",
    () => createSystemPrompt([section("rules", () => "a"), section("rules", () => "b")]),
    "bad_option",
    'there are two sections "rules"',
  ],
  [
    "a section that is a text",
    () => section("rules", "Be brief." as Wrong),
    "bad_option",
    'the section "rules" needs a function that gives its text',
  ],
  [
    "a volatile section without a reason",
    () => volatileSection("time", () => "noon", ""),
    "bad_option",
    'the volatile section "time" needs a reason',
  ],
  [
    'createJsonlStore("dir")',
    () => createJsonlStore("dir" as Wrong),
    "bad_option",
    'createJsonlStore: the options must be an object, such as `{ directory: "transcripts" }`',
  ],
  [
    "an empty directory",
    () => createJsonlStore({ directory: "" }),
    "bad_option",
    "createJsonlStore: `directory` must be a text that is not empty",
  ],
  [
    "an unknown durability",
    () => createJsonlStore({ directory: folder, durability: "fsync" as Wrong }),
    "bad_option",
    "createJsonlStore: `durability` must be process or disk",
  ],
  ["an empty id, in memory", () => createMemoryStore().open(""), "bad_id", badId('""')],
  ["an empty id, in files", () => createJsonlStore({ directory: folder }).open(""), "bad_id", badId('""')],
  [
    "an id that is a path",
    () => createJsonlStore({ directory: folder }).open("../x"),
    "bad_id",
    badId('"../x"'),
  ],
  [
    "an overflow without a directory",
    () => createOverflowFiles(""),
    "bad_option",
    "createOverflowFiles: the directory must be a text that is not empty",
  ],
  [
    "notes without a path",
    () => createNotesFile(undefined as Wrong),
    "bad_option",
    "createNotesFile: the path must be a text that is not empty",
  ],
  [
    "calibrations with options",
    () => createCalibrationFile({ path: "x" } as Wrong),
    "bad_option",
    "createCalibrationFile: the path must be a text that is not empty",
  ],
  [
    "texts about breaks in a path",
    () => createBreakDiffDirectory("breaks" as Wrong),
    "bad_option",
    "createBreakDiffDirectory: `directory` must be a text that is not empty",
  ],
  [
    "Recall without a store",
    () => createRecall({} as Wrong),
    "bad_option",
    "createRecall: takes `{ store, id }` or `{ transcriptPath }`",
  ],
  [
    "a player by its name",
    () => createSimulator({ player: "echo" as Wrong }),
    "bad-player",
    "createSimulator: the player must have `answer()`, as what createEchoPlayer() makes has it",
  ],
  [
    "createEchoPlayer, not createEchoPlayer()",
    () => createEmbeddedProvider({ player: createEchoPlayer as Wrong }),
    "bad-player",
    "createSimulator: the player must have `answer()`, as what createEchoPlayer() makes has it",
  ],
  [
    "a simulator with a window below 0",
    () => createSimulator({ player: createEchoPlayer(), window: -1 }),
    "bad_option",
    "createSimulator: `window` must be a whole number above 0",
  ],
  [
    "an app without a simulator",
    () => createSimulatorApp({} as Wrong),
    "bad_option",
    "createSimulatorApp: `simulator` must be made by createSimulator()",
  ],
  [
    "an unknown way of summaries",
    () => withSummaries(createEchoPlayer(), { mode: "good" as Wrong }),
    "bad-player",
    'withSummaries: there is no mode "good"; there are mediocre, empty, tool-call, truncated, inflated, api-error-text, no-tags, unclosed, refusal',
  ],
  [
    "a script that was not read",
    () => createScriptPlayer("script.json" as Wrong),
    "bad-script",
    "createScriptPlayer: the script must have `steps`, as parseScript gives it",
  ],
  [
    "a recording that was not read",
    () => createRecordingPlayer("session.jsonl" as Wrong),
    "bad-player",
    "createRecordingPlayer: takes a list of messages, as a recording has them",
  ],
  [
    "a port that there is not",
    () =>
      startSimulatorServer({
        app: createSimulatorApp({ simulator: createSimulator({ player: createEchoPlayer() }) }),
        port: -1,
      }),
    "bad_option",
    "startSimulatorServer: `port` must be a whole number from 0 to 65535",
  ],
];

describe("what cannot be meant is told at once, in one sentence", () => {
  it("and these are at least 45", () => {
    expect(misuses.length).toBeGreaterThanOrEqual(45);
    expect(new Set(misuses.map(([name]) => name)).size).toBe(misuses.length);
  });

  it.each(misuses)("%s", async (_name, call, code, sentence) => {
    let thrown: unknown;
    try {
      await call();
    } catch (error) {
      thrown = error;
    }
    if (!isPalimpsestError(thrown)) throw new Error(`no error of ours: ${String(thrown)}`, { cause: thrown });
    expect({ code: thrown.code, sentence: thrown.message }).toEqual({ code, sentence });
    expect(sentence).not.toMatch(/\n|undefined|\[object|Cannot read/);
  });

  it("nothing was made on the way", () => expect(readdirSync(folder)).toEqual([]));
});

describe("a conversation that was misused goes on", () => {
  it("after calls of observe that could not be meant", async () => {
    const { conversation, prepared, observe } = await waiting();
    await expect(observe(prepared, response)).rejects.toThrow("observe: takes");
    await expect(observe(undefined)).rejects.toThrow("observe: takes");
    expect(await conversation.observe(prepared, answered)).toMatchObject({ kind: "accepted" });
    expect(conversation.live).toHaveLength(2);
  });
});

describe("what could be meant is taken as it is meant", () => {
  const systemOf = async (system: Wrong): Promise<unknown> => {
    const conversation = created({ system });
    await conversation.append(hello);
    const prepared = await conversation.prepare();
    return prepared.kind === "held" ? prepared : prepared.call.request.system;
  };

  it("a system prompt as a text, and as blocks", async () => {
    const expected = await systemOf({ custom: "You are brief.\n\nYou are kind." });
    expect(expected).toMatchObject([{ type: "text", text: "You are brief.\n\nYou are kind." }]);
    expect(await systemOf("You are brief.\n\nYou are kind.")).toEqual(expected);
    const blocks = ["You are brief.", "You are kind."].map((text) => ({ type: "text", text }));
    expect(await systemOf(blocks)).toEqual(expected);
  });

  it("an exception of the official client, or of fetch, whole or taken apart", () => {
    const abort = new APIUserAbortError();
    const aborted = { kind: "aborted", retryable: false };
    expect(decodeError(abort)).toMatchObject(aborted);
    const { status, headers, error, message } = abort;
    expect(decodeError({ status, headers, body: error ?? message })).toMatchObject(aborted);
    expect(decodeError({ body: abort })).toMatchObject(aborted);
    expect(decodeError(new DOMException("This operation was aborted", "AbortError"))).toMatchObject(aborted);
    expect(decodeError(new APIConnectionError({ message: "Connection error." }))).toEqual({
      kind: "connection",
      message: "Connection error.",
      retryable: true,
    });
    // What a server says is what it says.
    expect(decodeError({ status: 500, body: "Request was aborted." })).toMatchObject({ kind: "api" });
    expect(decodeError(undefined as Wrong)).toMatchObject({ kind: "api" });
  });

  it("a price that nobody knows is said, not thrown and not 0", () => {
    expect(priceOf("gpt-9", response.usage)).toEqual({
      kind: "unpriced",
      model: "gpt-9",
      message: 'No prices are known for the model "gpt-9".',
    });
  });
});

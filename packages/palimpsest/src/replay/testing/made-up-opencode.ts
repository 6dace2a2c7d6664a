/** A session as `opencode export` writes it, made up. */
export interface MadeUpExport {
  readonly info: Record<string, unknown>;
  readonly messages: { readonly info: Record<string, unknown>; readonly parts: readonly object[] }[];
}

const START = Date.UTC(2026, 2, 13, 5);
const MINUTE = 60_000;

export const openCodeFile = (at: number): string => `export const value${at} = ${at};\n`.repeat(200);

const tokens = (input: number, read: number, output = 60) => ({
  total: input + read + output,
  input,
  output,
  reasoning: 20,
  cache: { read, write: 0 },
});

export const openCodeUser = (at: number, parts: readonly object[], more: object = {}) => ({
  info: {
    role: "user",
    time: { created: START + at * MINUTE },
    agent: "build",
    model: { providerID: "opencode", modelID: "gpt-5.3-codex" },
    summary: { diffs: [{ file: "a.ts", before: "never sent", after: "never sent either" }] },
    id: `msg_user${at}`,
    sessionID: "ses_made",
    ...more,
  },
  parts,
});

export const openCodeAnswer = (at: number, parts: readonly object[], more: object = {}) => ({
  info: {
    role: "assistant",
    time: { created: START + at * MINUTE, completed: START + at * MINUTE + 5000 },
    parentID: "msg_user0",
    modelID: "gpt-5.3-codex",
    providerID: "opencode",
    mode: "build",
    cost: 0.02,
    tokens: tokens(at === 1 ? 9000 : 1400, at === 1 ? 0 : 9000 + 1400 * (at - 2)),
    finish: "tool-calls",
    id: `msg_answer${at}`,
    sessionID: "ses_made",
    ...more,
  },
  parts: [{ type: "step-start", snapshot: "0f" }, ...parts],
});

export const openCodeCall = (at: number, { id = `call_${at}`, clearedAt = 0, state = {} } = {}) => ({
  type: "tool",
  callID: id,
  tool: "read",
  state: {
    status: "completed",
    input: { filePath: `/home/user/shop/src/${at}.ts` },
    output: openCodeFile(at),
    title: "",
    metadata: { truncated: false },
    time: {
      start: START + at * MINUTE + 2000,
      end: START + at * MINUTE + 3000,
      ...(clearedAt === 0 ? {} : { compacted: START + clearedAt * MINUTE - 20 }),
    },
    ...state,
  },
});

/**
 * Eight files are read, the first five of the results are cleared before the last question, and an answer is stopped.
 * Ids are masked as people mask them.
 */
export function madeUpExport(): MadeUpExport {
  const reads = Array.from({ length: 8 }, (_, index) => {
    const at = index + 1;
    const id = at % 3 === 0 ? "REDACTED" : `call_${at}`;
    const thought = {
      type: "reasoning",
      text: `**Reading ${at}**`,
      metadata: { opencode: { itemId: "rs" } },
    };
    return openCodeAnswer(at, [thought, openCodeCall(at, { id, clearedAt: at <= 5 ? 20 : 0 })]);
  });
  return {
    info: {
      id: "ses_made",
      slug: "quiet-lamp",
      projectID: "p1",
      directory: "/home/user/shop",
      title: "Reading all",
      version: "1.2.24",
      time: { created: START, updated: START },
    },
    messages: [
      openCodeUser(0, [{ type: "text", text: "Read all of it." }]),
      ...reads,
      openCodeAnswer(9, [{ type: "text", text: "All read." }], { finish: "stop" }),
      openCodeUser(20, [
        { type: "text", text: "Say it again." },
        { type: "text", text: "Called by a program.", synthetic: true },
      ]),
      openCodeAnswer(21, [{ type: "text", text: "All of it was read." }], {
        finish: "stop",
        tokens: tokens(5000, 9000),
      }),
      openCodeAnswer(22, [], {
        finish: undefined,
        tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
        error: { name: "MessageAbortedError", data: { message: "The operation was aborted." } },
      }),
    ],
  };
}

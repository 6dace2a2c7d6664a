import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRecording } from "../readers/read-recording.js";
import { openConversation } from "./open-conversation.js";
import type { RecordedConversation, RecordedRound } from "./recorded-round.js";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-rounds-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function openText(text: string | Uint8Array): Promise<RecordedConversation> {
  const path = join(directory, "recording.jsonl");
  await writeFile(path, text);
  return openConversation(path);
}
const openLines = (...lines: readonly object[]) =>
  openText(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

async function roundsOf(conversation: RecordedConversation): Promise<readonly RecordedRound[]> {
  const rounds: RecordedRound[] = [];
  for await (const round of conversation.rounds()) rounds.push(round);
  expect(rounds).toHaveLength(conversation.overview.rounds);
  return rounds;
}

/** The rounds in short: `what came in > what was answered`. */
async function sketch(conversation: RecordedConversation): Promise<readonly string[]> {
  const word = (block: object): string => {
    const fields: Readonly<Record<string, unknown>> = { ...block };
    const shown = fields["text"] ?? fields["tool_use_id"] ?? fields["id"] ?? fields["thinking"];
    return String(shown);
  };
  return (await roundsOf(conversation)).map(({ incoming, response }) => {
    const came = incoming.flatMap((message) => {
      if (message.type === "attachment") return [`<${message.attachment.type}>`];
      const content = message.type === "user" ? message.message.content : "?";
      return typeof content === "string" ? [content] : content.map(word);
    });
    return `${came.join(" ")} > ${response.content.map(word).join(" ")}`;
  });
}

describe("Claude Code", () => {
  let clock = 0;
  const line = (uuid: string, parentUuid: string | null, more: object) => {
    clock += 1;
    const timestamp = new Date(clock * 1000).toISOString();
    return { uuid, parentUuid, sessionId: "s", timestamp, ...more };
  };
  const user = (uuid: string, parent: string | null, content: unknown, flags: object = {}) =>
    line(uuid, parent, { type: "user", message: { role: "user", content }, ...flags });
  const result = (uuid: string, parent: string, ...ids: readonly string[]) =>
    user(
      uuid,
      parent,
      ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "found" })),
    );
  const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
  const text = (said: string) => ({ type: "text", text: said });
  const piece = (uuid: string, parent: string, id: string, ...content: readonly object[]) => {
    const message = { id, role: "assistant", model: "claude-opus-5", content };
    return line(uuid, parent, { type: "assistant", message });
  };
  const attachment = (uuid: string, parent: string, type: string, more: object = {}) =>
    line(uuid, parent, { type: "attachment", attachment: { type, ...more } });
  const boundary = (uuid: string, logicalParentUuid: string | null, segment?: object) =>
    line(uuid, null, {
      type: "system",
      subtype: "compact_boundary",
      logicalParentUuid,
      compactMetadata: { trigger: "auto", preTokens: 1, ...(segment && { preservedSegment: segment }) },
    });
  const summary = (uuid: string, parent: string | null) =>
    user(uuid, parent, "so far", { isCompactSummary: true });

  const start = [
    user("u1", null, "one"),
    piece("a1", "u1", "m1", call("t1")),
    result("r1", "a1", "t1"),
    piece("a2", "r1", "m2", text("two")),
  ];

  it("puts the pieces of a response together, also where results stand between them", async () => {
    const conversation = await openLines(
      user("u", null, "go"),
      piece("a1", "u", "m1", text("reading"), call("t1")),
      piece("a2", "a1", "m1", call("t2")),
      result("r1", "a1", "t1"),
      result("r2", "a2", "t2"),
      attachment("f", "r1", "date_change"),
      piece("a3", "r2", "m1", call("t3")),
      result("r3", "a3", "t3"),
      piece("b1", "r3", "m2", text("done")),
      user("u2", "b1", "thanks"),
    );
    expect(await sketch(conversation)).toEqual(["go > reading t1 t2 t3", "t1 t2 <date_change> t3 > done"]);
    const [first, second] = await roundsOf(conversation);
    expect(second?.at).toBeGreaterThanOrEqual(first?.response.at ?? Infinity);
  });

  it("leaves out abandoned branches, sidechains, errors of the program and what says nothing", async () => {
    const conversation = await openLines(
      ...start,
      user("x1", "a2", "never mind"),
      piece("x2", "x1", "mx", text("wrong way")),
      user("u3", "a2", "three"),
      user("side", null, "subagent", { isSidechain: true }),
      {
        ...piece("e", "u3", "err", text("overloaded")),
        isApiErrorMessage: true,
      },
      line("s", "e", {
        type: "assistant",
        message: { id: "syn", role: "assistant", model: "<synthetic>", content: [text("no")] },
      }),
      piece("n", "s", "m3", text(" \n")),
      user("u4", "n", "again"),
      piece("a4", "u4", "m4", text("four")),
    );
    expect(await sketch(conversation)).toEqual(["one > t1", "t1 > two", "three again > four"]);
  });

  it("undoes a compaction with all that it brought back, and nothing else", async () => {
    const conversation = await openLines(
      ...start,
      user("u3", "a2", "three"),
      boundary("B", "u3"),
      summary("S", "B"),
      attachment("f", "S", "file"),
      attachment("t", "f", "todo"),
      attachment("h", "t", "hook_additional_context", { hookEvent: "SessionStart" }),
      attachment("e", "h", "edited_text_file"),
      user("c", "e", "<command-name>/compact</command-name>"),
      user("o", "c", "<local-command-stdout>Compacted (ctrl+o)</local-command-stdout>"),
      user("u4", "o", "four"),
      attachment("f2", "u4", "file"),
      piece("a4", "f2", "m4", text("yes")),
    );
    expect(await sketch(conversation)).toEqual([
      "one > t1",
      "t1 > two",
      "three <edited_text_file> four <file> > yes",
    ]);
    expect(conversation.overview).toMatchObject({ undoneCompactions: 1, keptCompactions: 0 });
  });

  it("tells the rounds after a recorded compaction from those before it, undone or not", async () => {
    const marks = async (...lines: readonly object[]) =>
      (await roundsOf(await openLines(...lines))).map(({ isAfterCompaction }) => isAfterCompaction === true);
    const first = [user("u1", null, "one"), piece("a1", "u1", "m1", text("A"))];
    const after = (parent: string) => [user("u2", parent, "two"), piece("a2", "u2", "m2", text("B"))];
    expect(await marks(...first, ...after("a1"))).toEqual([false, false]);
    expect(await marks(...first, boundary("B", "a1"), summary("S", "B"), ...after("S"))).toEqual([
      false,
      true,
    ]);
    expect(await marks(summary("S", null), ...after("S"))).toEqual([true]);
  });

  it("tells what an undone compaction put in, where, and what it kept", async () => {
    const compacted = async (...lines: readonly object[]) => {
      const rounds = await roundsOf(await openLines(...start, ...lines));
      return rounds.map((round) => round.compacted);
    };
    const after = [user("u4", "f", "four"), piece("a4", "u4", "m4", text("yes"))];
    const [, , whole] = await compacted(
      user("u3", "a2", "three"),
      boundary("B", "u3"),
      summary("S", "B"),
      attachment("f", "S", "file"),
      ...after,
    );
    expect(whole).toMatchObject({ after: 1, keptResponses: 0, keptMessages: 0 });
    expect(whole?.messages.map(({ uuid }) => uuid)).toEqual(["S", "f"]);
    const keeping = (headUuid: string) =>
      compacted(
        user("u3", "a2", "three"),
        boundary("B", "u3", { headUuid, tailUuid: "u3", anchorUuid: "S" }),
        summary("S", "B"),
        piece("a4", "u3", "m4", text("yes")),
      );
    // From the result on: it stands before the one response that was kept.
    expect((await keeping("r1")).at(-1)).toMatchObject({ after: 1, keptResponses: 1, keptMessages: 1 });
    expect((await keeping("a2")).at(-1)).toMatchObject({ keptResponses: 1, keptMessages: 0 });
    expect((await keeping("u3")).at(-1)).toMatchObject({ keptResponses: 0, keptMessages: 1 });
    expect(await compacted(piece("a4", "a2", "m4", text("yes")))).toEqual([undefined, undefined, undefined]);
  });

  it("plays once what a compaction kept", async () => {
    for (const anchorUuid of ["S", null]) {
      const conversation = await openLines(
        ...start,
        user("u3", "a2", "three"),
        boundary("B", "u3", { headUuid: "r1", tailUuid: "u3", anchorUuid }),
        summary("S", "B"),
        piece("a3", "u3", "m3", text("four")),
      );
      expect(await sketch(conversation)).toEqual(["one > t1", "t1 > two", "three > four"]);
      expect(conversation.overview.undoneCompactions).toBe(1);
    }
  });

  it("knows compactions without a boundary, and leaves those that a rewind left behind", async () => {
    const without = await openLines(
      ...start,
      summary("S", null),
      user("u3", "S", "three"),
      piece("a3", "u3", "m3", text("four")),
    );
    expect(await sketch(without)).toEqual(["one > t1", "t1 > two", "three > four"]);
    expect(without.overview).toMatchObject({ undoneCompactions: 1, keptCompactions: 0 });
    const rewound = await openLines(
      ...start,
      boundary("B", "a2"),
      summary("S", "B"),
      piece("x", "S", "mx", text("wrong")),
      user("u3", "r1", "instead"),
      piece("a3", "u3", "m3", text("right")),
    );
    expect(await sketch(rewound)).toEqual(["one > t1", "t1 instead > right"]);
    expect(rewound.overview).toMatchObject({ undoneCompactions: 0, keptCompactions: 0 });
  });

  it("keeps the summary of a session that goes on from another file", async () => {
    const behind = [
      attachment("f", "S", "file"),
      user("u1", "f", "on"),
      piece("a1", "u1", "m1", text("yes")),
    ];
    for (const head of [[summary("S", null)], [boundary("B", "elsewhere"), summary("S", "B")]]) {
      const conversation = await openLines(...head, ...behind);
      expect(await sketch(conversation)).toEqual(["so far <file> on > yes"]);
      expect(conversation.overview).toMatchObject({ undoneCompactions: 0, keptCompactions: 1 });
    }
  });

  it("does not apply what the recording cleared, and drops local copies of results", async () => {
    const copied = { ...result("r1", "a1", "t1"), toolUseResult: { file: "found" } };
    const conversation = await openLines(
      ...start.slice(0, 2),
      copied,
      line("mc", "r1", { type: "system", subtype: "microcompact_boundary", clearedToolUseIds: ["t1"] }),
      piece("a2", "mc", "m2", text("two")),
    );
    const [, second] = await roundsOf(conversation);
    expect(second?.incoming).toMatchObject([{ message: { content: [{ content: "found" }] } }]);
    expect(second?.incoming[0]).not.toHaveProperty("toolUseResult");
  });

  it("says which results the recording had cleared, in Claude Code's words and in ours", async () => {
    const told = [
      { compactedToolIds: ["t1"], preTokens: 900, tokensSaved: 400, trigger: "auto" },
      { variant: "size-based", trigger: "auto", toolUseIds: ["t1"], tokensBefore: 900, tokensAfter: 500 },
    ];
    for (const microcompactMetadata of told) {
      const boundary = { type: "system", subtype: "microcompact_boundary", microcompactMetadata };
      const conversation = await openLines(
        ...start.slice(0, 2),
        result("r1", "a1", "t1"),
        line("mc", "r1", boundary),
        piece("a2", "mc", "m2", text("two")),
      );
      const rounds = await roundsOf(conversation);
      expect(rounds.map(({ cleared }) => cleared)).toEqual([undefined, ["t1"]]);
    }
  });

  it("leaves out what the program wrote down for itself: of a task all but a line, and the plan of a plan file", async () => {
    const reminder = (uuid: string, parent: string, ...content: readonly object[]) =>
      attachment(uuid, parent, "task_reminder", { content, itemCount: content.length });
    const task = { id: "7", subject: "Mend it", status: "pending", description: "long words", blocks: [] };
    const exit = (input: object) => ({ type: "tool_use", id: "t1", name: "ExitPlanMode", input });
    const plan = { plan: "# all of it", planFilePath: "/p.md" };
    const conversation = await openLines(
      user("u", null, "go"),
      piece("a1", "u", "m1", exit({ ...plan, allowedPrompts: [] })),
      result("r1", "a1", "t1"),
      reminder("x1", "r1", task),
      piece("a2", "x1", "m2", exit({ plan: "# said" })),
      result("r2", "a2", "t1"),
      reminder("x2", "r2"),
      piece("a3", "x2", "m3", text("three")),
    );
    const [first, second, third] = await roundsOf(conversation);
    const [sent, empty] = [second, third].map((round) => JSON.stringify(round?.incoming.at(-1)));
    expect(first?.response.content).toMatchObject([{ input: { allowedPrompts: [] } }]);
    expect(JSON.stringify(first)).not.toContain("all of it");
    expect(second?.response.content).toMatchObject([{ input: { plan: "# said" } }]);
    expect(sent).toContain("#7. [pending] Mend it");
    expect(sent).not.toContain("long words");
    // A reminder of nothing has its words, too.
    expect(empty).toMatch(/"content":\["[^"]{400,500}"\]/);
  });

  it("counts hidden thinking by its signature, and shows as text what the provider's own tools did", async () => {
    const conversation = await openLines(
      user("u", null, "go"),
      piece(
        "a",
        "u",
        "m",
        { type: "thinking", thinking: "", signature: "abcd", signatureChars: 330 + 343 },
        { type: "thinking", thinking: "", signature: "x".repeat(42) },
        { type: "thinking", thinking: "aloud", signature: "x".repeat(330 + 686) },
        { type: "redacted_thinking", data: "x".repeat(330 + 1029) },
        { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } },
        {
          type: "web_search_tool_result",
          tool_use_id: "s1",
          content: [{ title: "T", encrypted_content: "secret" }],
        },
        { type: "tool_use", id: "t", name: "Read", input: null },
      ),
    );
    const [round] = await roundsOf(conversation);
    expect(round?.response.content).toEqual([
      { type: "thinking", thinking: "", hiddenTokens: 100 },
      { type: "thinking", thinking: "", hiddenTokens: 1 },
      { type: "thinking", thinking: "aloud", hiddenTokens: 200 },
      { type: "thinking", thinking: "", hiddenTokens: 300 },
      { type: "text", text: '[web_search: {"query":"q"}]' },
      { type: "text", text: '[web_search_tool_result: [{"title":"T"}]]' },
      { type: "tool_use", id: "t", name: "Read", input: {} },
    ]);
    expect(conversation.overview).toMatchObject({ hasThinking: true, tools: ["Read"] });
  });

  it("tells what has to be known beforehand; times never go back", async () => {
    const usage = { input_tokens: 1, cache_read_input_tokens: 30, output_tokens: 5 };
    const at = (time: unknown, entry: object) => ({ ...entry, timestamp: time });
    const answer = (uuid: string, model: string, more: object = {}) =>
      line(uuid, null, {
        type: "assistant",
        parentUuid: undefined,
        message: { id: uuid, role: "assistant", model, content: [call(`${uuid}t`)], ...more },
      });
    const conversation = await openLines(
      at("1970-01-01T00:00:10Z", user("u1", null, "a", { parentUuid: undefined })),
      at("never", answer("a1", "small")),
      at("1970-01-01T00:00:05Z", answer("a2", "large", { usage })),
      at(undefined, answer("a3", "large")),
      at("1970-01-01T00:00:20Z", user("u2", null, "b", { parentUuid: undefined })),
      at("1970-01-01T00:00:21Z", answer("a4", "")),
    );
    const rounds = await roundsOf(conversation);
    expect(rounds.map((round) => [round.at, round.response.at])).toEqual([
      [10_000, 10_000],
      [10_000, 10_000],
      [10_000, 10_000],
      [20_000, 21_000],
    ]);
    expect(conversation.overview).toEqual({
      format: "claude-code",
      repository: expect.stringMatching(/./),
      rounds: 4,
      models: [
        { model: "large", responses: 2 },
        { model: "small", responses: 1 },
      ],
      tools: ["Read"],
      hasThinking: false,
      firstUsage: { round: 1, inputTokens: 31 },
      undoneCompactions: 0,
      keptCompactions: 0,
      damagedLines: 0,
    });
  });

  it("tolerates damage, a torn last line, and lines longer than what is read at once", async () => {
    const long = "long ".repeat(200_000);
    const lines = [...start, user("u3", "a2", long), piece("a3", "u3", "m3", text("much"))].map((entry) =>
      JSON.stringify(entry),
    );
    lines.splice(1, 0, '{"type":"user","uuid":');
    const conversation = await openText(`${lines.join("\n")}\n{"type":"us`);
    expect(conversation.overview).toMatchObject({ rounds: 3, damagedLines: 1 });
    expect((await sketch(conversation)).at(-1)).toBe(`${long} > much`);
  });

  it("has no rounds where nothing was answered", async () => {
    const conversation = await openLines(user("u1", null, "hello?"));
    expect(conversation.overview).toMatchObject({ rounds: 0, models: [] });
    expect(await roundsOf(conversation)).toEqual([]);
  });
});

describe("Codex", () => {
  const at = "2026-06-18T07:41:33.518Z";
  const entry = (type: string, payload: object) => ({ timestamp: at, type, payload });
  const said = (role: string, words: string) => ({
    type: "message",
    role,
    content: [{ type: role === "assistant" ? "output_text" : "input_text", text: words }],
  });
  const item = (payload: object) => entry("response_item", payload);
  const called = (id: string) => [
    item({ type: "function_call", name: "exec", arguments: "{}", call_id: id }),
    item({ type: "function_call_output", call_id: id, output: "ok" }),
    entry("event_msg", { type: "token_count", info: null }),
  ];
  const head = [entry("session_meta", { id: "c" }), entry("turn_context", { model: "gpt-5.5" })];
  const compacted = entry("compacted", {
    message: "so far",
    replacement_history: [said("user", "go"), said("assistant", "earlier words")],
  });
  const tail = [...called("c2"), item(said("assistant", "done"))];

  it("undoes a compaction with the history that it wrote again", async () => {
    const conversation = await openLines(
      ...head,
      item(said("user", "go")),
      ...called("c1"),
      compacted,
      ...tail,
    );
    expect(await sketch(conversation)).toEqual(["go > c1", "c1 > c2", "c2 > done"]);
    expect(conversation.overview).toMatchObject({
      format: "codex-rollout",
      undoneCompactions: 1,
      keptCompactions: 0,
      models: [{ model: "gpt-5.5", responses: 3 }],
    });
  });

  it("plays that history where it is all there is", async () => {
    const conversation = await openLines(...head, compacted, ...tail);
    expect(await sketch(conversation)).toEqual(["so far go > earlier words", " > c2", "c2 > done"]);
    expect(conversation.overview).toMatchObject({ undoneCompactions: 0, keptCompactions: 1 });
  });
});

describe("pi", () => {
  const header = { type: "session", version: 3, id: "p", cwd: "/", timestamp: "2025-12-09T00:53:29.825Z" };
  const entry = (id: string, parentId: string | null, more: object) => ({ id, parentId, ...more });
  const said = (message: object) => ({ type: "message", timestamp: "2025-12-09T00:54:00.000Z", message });
  const user = (content: string) => said({ role: "user", content });
  const answer = (text: string, api = "anthropic-messages") =>
    said({
      role: "assistant",
      api,
      model: "m",
      content: [
        { type: "thinking", thinking: "hm", thinkingSignature: "s" },
        { type: "text", text },
      ],
    });

  it("follows the branch over a compaction, and plays the kept part once", async () => {
    const conversation = await openLines(
      header,
      entry("1", null, user("one")),
      entry("2", "1", answer("uno")),
      entry("x", "2", user("wrong")),
      entry("y", "x", answer("way")),
      entry("3", "2", user("two")),
      entry("4", "3", answer("due", "openai-responses")),
      entry("k", "4", { type: "compaction", summary: "so far", firstKeptEntryId: "3", tokensBefore: 1 }),
      entry("5", "k", user("three")),
      entry("e", "5", said({ role: "assistant", content: [], stopReason: "aborted" })),
      entry("6", "e", answer("tre")),
    );
    expect(await sketch(conversation)).toEqual(["one > hm uno", "two > due", "three > hm tre"]);
    expect(conversation.overview).toMatchObject({ undoneCompactions: 1, keptCompactions: 0 });
  });
});

describe("Gemini CLI", () => {
  const entries = [
    { id: "1", type: "user", content: "go" },
    { id: "2", type: "gemini", content: "done", thoughts: [{ description: "d" }] },
  ];

  it("reads a log of changes, and a document over many lines", async () => {
    const header = { sessionId: "g", projectHash: "h", startTime: "2026-01-15T20:51:48.582Z" };
    const log = await openLines(header, ...entries);
    expect(await sketch(log)).toEqual(["go > done"]);
    const document = await openText(JSON.stringify({ ...header, messages: entries }, null, 2));
    expect(await sketch(document)).toEqual(["go > done"]);
    expect(document.overview).toEqual(log.overview);
  });
});

describe("what is no recording is refused as by readRecording", () => {
  it.each<[string, string | Uint8Array]>([
    ["empty", ""],
    ["empty", "\n\n  \n"],
    ["binary", Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 1])],
    ["unknown_format", "{"],
    ["unknown_format", "Dear diary,\ntoday"],
    ["unknown_format", JSON.stringify({ name: "x" }, null, 2)],
    ["no_messages", '{"type":"session","id":"p","cwd":"/"}\n'],
  ])("%s: %j", async (code, content) => {
    const error: unknown = await openText(content).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "RecordingError", code });
    const path = join(directory, "recording.jsonl");
    await expect(readRecording(path)).rejects.toEqual(error);
  });

  it("not_found, not_a_file", async () => {
    await expect(openConversation(join(directory, "nowhere"))).rejects.toMatchObject({ code: "not_found" });
    await expect(openConversation(directory)).rejects.toMatchObject({ code: "not_a_file" });
  });
});

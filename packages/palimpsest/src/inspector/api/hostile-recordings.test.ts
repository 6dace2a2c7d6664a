import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type {
  BlockText,
  ConversationList,
  ConversationOverview,
  RequestView,
  Timeline,
} from "../contract.js";
import { fileIn, inspectorOf, scriptedFile } from "../testing/asked-inspector.js";

const user = (uuid: string, content: unknown, more: object = {}) => ({
  type: "user",
  uuid,
  parentUuid: null,
  sessionId: "s",
  timestamp: "2026-11-18T10:00:00.000Z",
  message: { role: "user", content },
  ...more,
});
const answer = (uuid: string, content: unknown, more: object = {}) => ({
  ...user(uuid, content, { parentUuid: "u1" }),
  type: "assistant",
  message: {
    id: `msg_${uuid}`,
    role: "assistant",
    model: "claude-opus-5",
    content,
    usage: { input_tokens: 5, output_tokens: 1 },
    ...more,
  },
});
const lines = (...values: readonly unknown[]): string =>
  `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;

describe("hostile recordings", () => {
  const call = (name: string) => ({
    type: "tool_use",
    id: name,
    name,
    input: JSON.parse('{"__proto__":{"polluted":1}}') as object,
  });
  it.each<[string, string]>([
    [
      "10 MB on a line",
      lines(user("u1", "x".repeat(10_000_000)), answer("a1", [{ type: "text", text: "<script>" }])),
    ],
    [
      "names of prototypes",
      lines(
        user("u1", "hi"),
        answer("a1", [call("__proto__"), call("constructor")], { model: "__proto__" }),
        user("u2", [{ type: "tool_result", tool_use_id: "__proto__", content: "out" }]),
      ),
    ],
    [
      "forged boundaries",
      lines(
        user("u1", "hi"),
        answer("a1", [{ type: "text", text: "yes" }]),
        {
          ...user("b1", ""),
          type: "system",
          subtype: "compact_boundary",
          compactMetadata: {
            trigger: {},
            preTokens: "many",
            preservedSegment: { headUuid: "a1", tailUuid: "u1", anchorUuid: "b1" },
            summaryCalls: [1, { usage: [] }],
          },
        },
        { ...user("b1", ""), type: "system", subtype: "compact_boundary", compactMetadata: 7 },
        {
          ...user("c1", ""),
          type: "system",
          subtype: "microcompact_boundary",
          microcompactMetadata: { toolUseIds: "all" },
        },
        { ...user("d1", ""), type: "system", subtype: "compact_undone", undoneBoundary: "b1" },
        answer("a2", "not a list", { usage: { input_tokens: -5, output_tokens: "many" } }),
      ),
    ],
    [
      "damaged lines",
      `{"type":\n${lines(user("u1", "hi"))}\u0001garbage\n${lines(answer("a1", [null, 7, { type: 9 }]))}{"type":"user","uuid":"torn`,
    ],
    [
      "messages that answer to each other",
      lines(user("u1", "hi", { parentUuid: "u2" }), user("u2", "ho", { parentUuid: "u1" }), answer("a1", [])),
    ],
    [
      "bidi and markup",
      lines(
        user("u1", "\u202e<img src=x onerror=alert(1)>{{7*7}}"),
        answer("a1", [{ type: "text", text: "</script>" }]),
      ),
    ],
  ])("%s: every view answers, and nothing fails", async (_, content) => {
    const path = fileIn("hostile.jsonl");
    writeFileSync(path, content);
    const { get, only, errors } = inspectorOf([path]);
    const base = await only();
    const overview = await get<ConversationOverview>(base);
    expect(overview.state).toBe("indexed");
    const { total } = await get<Timeline>(`${base}/timeline`);
    expect(total).toBeGreaterThan(0);
    for (let number = 0; number < total; number += 1) {
      const view = await get<RequestView>(`${base}/requests/${number}`);
      for (const { id } of [...view.blocks, ...view.answer]) {
        expect((await get<BlockText>(`${base}/blocks/${id}`)).text.length).toBeLessThanOrEqual(64_000);
      }
      expect(JSON.stringify(view).length).toBeLessThan(20_000);
    }
    for (const { id } of overview.compactions) await get(`${base}/compactions/${id}`);
    await get(`${base}/clock`);
    await get(`${base}/search?q=${encodeURIComponent("<")}`);
    expect(errors).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each([
    ["empty", ""],
    ["binary", "\u0000\u0001\u0002"],
    ["something else", "hello\n"],
    ["without messages", lines({ type: "summary", summary: "x", leafUuid: "y" })],
  ])("%s: one sentence says why there is nothing to see", async (_, content) => {
    const path = fileIn("other.jsonl");
    const other = scriptedFile(false);
    writeFileSync(path, content);
    const { get, ask, library, errors } = inspectorOf([path, other]);
    await library.refresh();
    const { conversations } = await get<ConversationList>("/api/conversations");
    const found = conversations.find(({ place }) => place.endsWith("other.jsonl"));
    if (content === "") return expect(found).toBeUndefined();
    expect(found).toMatchObject({
      state: "failed",
      failure: expect.stringMatching(/^The file .*\.$/) as string,
    });
    expect((await ask(`/api/conversations/${found?.id}`)).status).toBe(422);
    return expect(errors).toEqual([]);
  });
});

import { createUserMessage } from "@palimpsest/core";
import { createCompactBoundary } from "@palimpsest/core/engine";
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type {
  BlockText,
  CompactionView,
  ConversationList,
  ConversationOverview,
  RequestList,
  RequestView,
  SearchHits,
  Timeline,
} from "../contract.js";
import { findNamed } from "../live/find-conversations.js";
import { createLibrary } from "../live/library.js";
import { recordScript } from "../testing/scripted-recording.js";
import { createInspectorApp } from "./app.js";
import { createEventLog } from "./event-log.js";
import type { JobPort } from "./job-port.js";
import { createInspectorJobs } from "../jobs/inspector-jobs.js";

const TOKEN = "a-token";
const HOST = "http://127.0.0.1:4000";

function inspectorOf(files: readonly string[], publicUrl?: string, jobs?: JobPort) {
  const events = createEventLog();
  const errors: unknown[] = [];
  const library = createLibrary({
    find: async () => (await findNamed(files)).found,
    indexFolder: mkdtempSync(join(tmpdir(), "inspector-api-")),
    events,
    now: Date.now,
  });
  const app = createInspectorApp({
    conversations: library,
    events,
    token: TOKEN,
    publicUrl,
    jobs,
    onError: (error) => errors.push(error),
  });
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    app(new Request(`${HOST}${path}`, { method, headers: { authorization: `Bearer ${TOKEN}`, ...headers } }));
  const get = async <Answer>(path: string): Promise<Answer> => {
    const response = await ask(path);
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as Answer;
  };
  const only = async (): Promise<string> => {
    const { conversations } = await get<ConversationList>("/api/conversations");
    return `/api/conversations/${conversations[0]?.id}`;
  };
  return { app, ask, get, only, errors, library, events };
}

const fileIn = (name: string): string => join(mkdtempSync(join(tmpdir(), "inspector-files-")), name);

const tool = (name: string) => ({ name, description: `Does ${name}`, input_schema: { type: "object" } });

function scripted(withRequests: boolean): string {
  const path = fileIn("talk.jsonl");
  recordScript(path, {
    turns: Array.from({ length: 5 }, (_, at) => ({
      ...(at === 0 ? { asked: "Mend the parser in Größe.ts" } : {}),
      calls: [
        {
          name: "Read",
          input: { file_path: `/src/${at}.ts` },
          result: `result ${at}: ${"words ".repeat(900)}`,
        },
      ],
    })),
    tools: (turn) => (turn < 3 ? [tool("Read"), tool("Write")] : [tool("Read"), tool("mcp__search__find")]),
    system: () => "You are an agent. ".repeat(400),
    withRequests,
  });
  return path;
}

describe("the inspector's API", () => {
  it("shows a request as it was sent: tools, system prompt, markers, what the cache did, and where it departs from the one before", async () => {
    const { get, only } = inspectorOf([scripted(true)]);
    const base = await only();
    const view = await get<RequestView>(`${base}/requests/3`);
    expect(view.source).toBe("recorded");
    expect(view.blocks.slice(0, 3).map(({ kind, name }) => [kind, name])).toEqual([
      ["tools", "Read"],
      ["tools", "mcp__search__find"],
      ["system", undefined],
    ]);
    expect(view.blocks.filter(({ marker }) => marker !== undefined).map(({ kind }) => kind)).toEqual([
      "system",
      "results",
    ]);
    const { input, cacheRead, cacheWrite5m } = view.usage;
    const total = input + cacheRead + cacheWrite5m;
    expect(view.blocks.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total);
    expect(view.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total);
    expect(view.difference).toMatchObject({
      against: 2,
      what: "changed",
      owner: 'tool "mcp__search__find"',
      block: 1,
      firstByte: expect.any(Number) as number,
      lostTokens: expect.any(Number) as number,
    });
    expect(view.difference?.lostTokens).toBeGreaterThan(2000);
    expect(view.difference?.dollars).toBeGreaterThan(0);
    expect(view.blocks.some(({ cache }) => cache === "missed")).toBe(true);
    const after = await get<RequestView>(`${base}/requests/4`);
    expect(after.difference).toMatchObject({ what: "appended", lostTokens: 0, owner: null });
    expect(after.blocks.find(({ isNew }) => isNew)?.index).toBe(after.firstNewBlock);
    const text = await get<BlockText>(`${base}/blocks/${view.blocks[1]?.id}`);
    expect(JSON.parse(text.text)).toEqual(tool("mcp__search__find"));
    const times = await get<Timeline>(`${base}/timeline`);
    expect(times.kinds.tools.every((tokens) => tokens > 10)).toBe(true);
    expect(times.marks).toMatchObject([{ kind: "break", request: 3 }]);
  });

  it("rebuilds a request from a transcript, and says how large what it cannot show is", async () => {
    const { get, only } = inspectorOf([scripted(false)]);
    const base = await only();
    const view = await get<RequestView>(`${base}/requests/2`);
    expect(view.source).toBe("rebuilt");
    const [head, first] = view.blocks;
    expect(head).toMatchObject({ id: "unknown", kind: "unknown", index: 0 });
    expect(head?.tokens).toBeGreaterThan(500);
    expect(first).toMatchObject({ kind: "people", preview: "Mend the parser in Größe.ts", message: 0 });
    const { input, cacheRead, cacheWrite5m } = view.usage;
    expect(view.blocks.reduce((sum, { tokens }) => sum + tokens, 0)).toBeCloseTo(
      input + cacheRead + cacheWrite5m,
      -1,
    );
    const window = await get<RequestView>(`${base}/requests/2?from=2&count=2`);
    expect(window.blocks).toEqual(view.blocks.slice(2, 4));
    expect(window.blockCount).toBe(view.blockCount);
    const overview = await get<ConversationOverview>(base);
    expect(overview.unknown.find(({ what }) => what === "head")?.tokens).toBeGreaterThan(500);
    const list = await get<RequestList>(`${base}/requests?from=3&count=1`);
    expect(list).toMatchObject({ total: 5, from: 3, requests: [{ number: 3, label: "Read" }] });
  });

  it("an output without a reason to stop is a placeholder: it is marked as not known, and sizes of the answer are estimates", async () => {
    const path = scripted(false);
    const written = readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const older = written.map((line) => {
      if (line["type"] !== "assistant" || line["uuid"] === "assistant-1") return line;
      const message = line["message"] as Record<string, unknown>;
      const usage = { ...(message["usage"] as object), output_tokens: 1 };
      const content = [{ type: "text", text: "What the parser does there. ".repeat(200) }];
      return { ...line, message: { ...message, content, stop_reason: null, usage } };
    });
    writeFileSync(path, older.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { get, only } = inspectorOf([path]);
    const base = await only();
    const placeholder = await get<RequestView>(`${base}/requests/2`);
    expect(placeholder.isOutputKnown).toBe(false);
    expect(placeholder.answer.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(800);
    const known = await get<RequestView>(`${base}/requests/1`);
    expect(known.isOutputKnown).toBe(true);
    expect(known.answer.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(known.usage.output);
    const { requests } = await get<RequestList>(`${base}/requests`);
    expect(requests.map(({ isOutputKnown }) => isOutputKnown)).toEqual([false, true, false, false, false]);
  });

  it("a compaction of ours tells who wrote its summary and what was mended in it", async () => {
    const path = scripted(false);
    const origin = (uuid: string, parentUuid: string | null) => ({
      clock: { now: () => Date.UTC(2026, 10, 15, 11) },
      ids: { next: () => uuid },
      sessionId: "scripted",
      parentUuid,
    });
    const usage = { input_tokens: 900, output_tokens: 80 };
    const boundary = createCompactBoundary(origin("boundary", "assistant-4"), {
      trigger: "auto",
      preTokens: 6000,
      summaryCalls: [{ model: "claude-opus-4-5", usage, source: "compact" }],
      writer: "fork",
      mended: { sectionsAdded: ["Goal", "State"], messagesAdded: 1, pathsUnknown: [], "<img>": 3 },
    });
    const summary = createUserMessage(origin("summary", "boundary"), { content: "The parser stops now." });
    const lines = [boundary, { ...summary, isCompactSummary: true }];
    appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { get, only } = inspectorOf([path]);
    const base = await only();
    const { compactions } = await get<ConversationOverview>(base);
    const view = await get<CompactionView>(`${base}/compactions/${compactions[0]?.id}`);
    expect(view).toMatchObject({
      writer: "fork (claude-opus-4-5)",
      findings: ["2 sections were missing and were added", "1 message of a person was missing and was added"],
      summary: "The parser stops now.",
    });
  });

  it("plays a recording once for what all of its compactions lost", async () => {
    let played = 0;
    const jobs = createInspectorJobs({
      env: {},
      onChange: () => undefined,
      start: () => {
        played += 1;
        return { result: Promise.resolve([]) as never, end: () => undefined };
      },
    });
    const path = fileURLToPath(
      new URL("../../../../../test/data/transcripts-0.1/clearings-and-compaction.jsonl", import.meta.url),
    );
    const { get, only } = inspectorOf([path], undefined, jobs);
    const base = await only();
    const { compactions } = await get<ConversationOverview>(base);
    const [first] = compactions;
    for (let time = 0; time < 3; time += 1) await get(`${base}/compactions/${first?.id}`);
    expect(played).toBe(1);
  });

  it("timeline: as many columns as were asked for, with the sums of what they stand for", async () => {
    const { get, only } = inspectorOf([scripted(false)]);
    const base = await only();
    const all = await get<Timeline>(`${base}/timeline`);
    const some = await get<Timeline>(`${base}/timeline?points=2`);
    expect(some.requests).toEqual([3, 2]);
    const sum = (list: readonly (number | null)[]): number =>
      list.reduce<number>((total, one) => total + (one ?? 0), 0);
    expect(sum(some.cost)).toBeCloseTo(sum(all.cost), 10);
    const { figures } = await get<ConversationOverview>(base);
    expect(sum(all.cost)).toBeCloseTo(figures?.cost ?? 0, 10);
    expect(sum(all.read)).toBe(figures?.usage.cacheRead);
    const part = await get<Timeline>(`${base}/timeline?from=1&to=3`);
    expect(part.request).toEqual([1, 2]);
  });

  it("finds words in any case and spelling, in pages", async () => {
    const path = scripted(false);
    const { get, only } = inspectorOf([path]);
    const base = await only();
    const found = await get<SearchHits>(
      `${base}/search?q=${encodeURIComponent("GRÖSSE.TS".replace("SS", "ß"))}`,
    );
    expect(found.hits).toHaveLength(1);
    const [hit] = found.hits;
    expect(hit?.text.slice(hit.start, hit.end)).toBe("Größe.ts");
    expect(found).toMatchObject({ cursor: null, share: 1 });
    const many = await get<SearchHits>(`${base}/search?q=Words`);
    expect(many.hits.map(({ request }) => request)).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
    expect((await get<SearchHits>(`${base}/search?q=nowhere`)).hits).toEqual([]);
  });

  it("finds what another program wrote as \\u escapes", async () => {
    const path = fileIn("escaped.jsonl");
    const line = JSON.stringify({
      type: "user",
      uuid: "u1",
      parentUuid: null,
      sessionId: "s",
      timestamp: "",
      message: { role: "user", content: "Die Größe" },
    });
    writeFileSync(path, `${line.replaceAll("ö", "\\u00F6").replaceAll("ß", "\\u00df")}\n`);
    const { get, only } = inspectorOf([path]);
    expect((await get<SearchHits>(`${await only()}/search?q=gr%C3%B6%C3%9Fe`)).hits).toHaveLength(1);
  });
});

describe("who is answered", () => {
  it.each<[string, Record<string, string>, number]>([
    ["its own page", { origin: HOST }, 200],
    ["no token", { authorization: "" }, 403],
    ["a wrong token", { authorization: "Bearer another" }, 403],
    ["another name that leads here", { host: "evil.example:4000" }, 403],
    ["a name that begins like ours", { host: "localhost.evil.example" }, 403],
    ["an address of the network", { host: "192.168.0.2:4000" }, 403],
    ["another's page", { origin: "http://evil.example" }, 403],
    ["a page of another port", { origin: "http://127.0.0.1:4001" }, 403],
    ["a page of a file", { origin: "null" }, 403],
    ["a page that asks across sites", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }, 403],
    ["localhost by name", { host: "localhost:4000" }, 200],
    ["the forwarded address", { host: "box.example", origin: "https://box.example" }, 200],
  ])("%s", async (_, headers, status) => {
    const { ask } = inspectorOf([scripted(false)], "https://box.example/");
    const response = await ask("/api/conversations", headers);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.text()).not.toContain(TOKEN);
  });

  it("a rebound name is refused for the page too, and nothing can be written", async () => {
    const { ask } = inspectorOf([scripted(false)]);
    expect((await ask("/", { host: "evil.example" })).status).toBe(403);
    expect((await ask("/api/conversations", {}, "POST")).status).toBe(404);
    expect((await ask("/api/conversations/none/undo", {}, "POST")).status).toBe(404);
  });
});

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
    const other = scripted(false);
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

  it("questions that make no sense are answered with what is wrong", async () => {
    const { ask, only } = inspectorOf([scripted(false)]);
    const base = await only();
    for (const [path, status] of [
      ["/requests/99", 404],
      ["/requests/-1", 404],
      ["/requests/0?from=x", 400],
      ["/timeline?points=0", 400],
      ["/blocks/9-9", 404],
      ["/blocks/r99-0", 404],
      ["/blocks/..%2f..%2fetc%2fpasswd", 404],
      ["/compactions/c9", 404],
      ["/search?q=", 400],
      ["/search?q=a&cursor=x", 400],
      ["/what-if", 404],
    ] as const) {
      const response = await ask(`${base}${path}`);
      expect([path, response.status]).toEqual([path, status]);
      expect(await response.json()).toEqual({
        error: { code: expect.any(String) as string, message: expect.stringMatching(/\.$/) as string },
      });
    }
    expect((await ask("/api/conversations/__proto__")).status).toBe(404);
  });
});

import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import type {
  BlockPlace,
  BlockText,
  ConversationOverview,
  RequestList,
  RequestView,
  SearchHits,
  Timeline,
} from "../contract.js";
import { inspectorOf, scriptedFile, toolNamed } from "../testing/asked-inspector.js";

it("shows a request as it was sent: tools, system prompt, markers, what the cache did, and where it departs from the one before", async () => {
  const { get, only } = inspectorOf([scriptedFile(true)]);
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
  expect(JSON.parse(text.text)).toEqual(toolNamed("mcp__search__find"));
  const times = await get<Timeline>(`${base}/timeline`);
  expect(times.kinds.tools.every((tokens) => tokens > 10)).toBe(true);
  expect(times.marks).toMatchObject([{ kind: "break", request: 3 }]);
});

it("rebuilds a request from a transcript, and says how large what it cannot show is", async () => {
  const { get, only } = inspectorOf([scriptedFile(false)]);
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
  const path = scriptedFile(false);
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

it.each([true, false])(
  "says where in a request something that was found stands; with requests: %s",
  async (withRequests) => {
    const { get, only, ask } = inspectorOf([scriptedFile(withRequests)]);
    const base = await only();
    for (const words of ["Mend the parser", "result 2:", "/src/1.ts"]) {
      const { hits } = await get<SearchHits>(`${base}/search?q=${encodeURIComponent(words)}`);
      const [hit] = hits;
      const view = await get<RequestView>(`${base}/requests/${hit?.request}`);
      const { index } = await get<BlockPlace>(`${base}/requests/${hit?.request}/place?block=${hit?.block}`);
      const found = view.blocks[index ?? -1] ?? view.answer.find(({ id }) => id === hit?.block);
      const text = await get<BlockText>(`${base}/blocks/${found?.id}`);
      expect(text.text).toContain(words);
    }
    const { hits } = await get<SearchHits>(`${base}/search?q=${encodeURIComponent("result 4:")}`);
    expect(hits).toEqual([]);
    for (const block of ["0-9", "77-0", "r1-1", "", "constructor"])
      expect(await get<BlockPlace>(`${base}/requests/1/place?block=${block}`)).toEqual({ index: null });
    expect((await ask(`${base}/requests/99/place?block=0-0`)).status).toBe(404);
  },
);

it("shows a tool by its description, a call in one line, and marks what is cut", async () => {
  const { get, only } = inspectorOf([scriptedFile(true)]);
  const { blocks } = await get<RequestView>(`${await only()}/requests/2`);
  expect(blocks[0]).toMatchObject({ type: "tool", name: "Read", preview: "Does Read" });
  expect(blocks.find(({ type }) => type === "tool_use")?.preview).toBe('{ "file_path": "/src/0.ts" }');
  expect(blocks.find(({ type }) => type === "tool_result")?.preview).toMatch(/^result 0: [words ]{280,}…$/);
});

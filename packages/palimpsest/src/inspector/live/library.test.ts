import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createInspectorApp } from "../api/app.js";
import { createEventLog } from "../api/event-log.js";
import type { ConversationOverview, RequestView, UndoResult } from "../contract.js";
import { recordScript } from "../testing/scripted-recording.js";
import { conversationPlaces } from "./conversation-places.js";
import { findConversations, findNamed } from "./find-conversations.js";
import { createLibrary } from "./library.js";
import { createLiveRequests, type LiveConversation } from "./live-conversation.js";

const folder = (): string => mkdtempSync(join(tmpdir(), "inspector-live-"));

const script = (turns: number) => ({
  turns: Array.from({ length: turns }, (_, at) => ({
    ...(at === 0 ? { asked: "Mend the parser" } : {}),
    calls: [{ name: "Read", input: { file_path: `/src/${at}.ts` }, result: "words ".repeat(300) }],
  })),
  tools: () => [{ name: "Read", description: "Reads", input_schema: { type: "object" } }],
  system: () => "You are an agent.",
});

function libraryOf(
  find: Parameters<typeof createLibrary>[0]["find"],
  live: readonly LiveConversation[] = [],
) {
  const events = createEventLog();
  const clock = { time: Date.now() };
  const library = createLibrary({
    find,
    indexFolder: join(folder(), "index"),
    events,
    now: () => clock.time,
    live: () => live,
  });
  return { library, events, clock };
}

it("what grows is indexed as far as it has grown, and told of", async () => {
  const path = join(folder(), "talk.jsonl");
  recordScript(path, script(4));
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  writeFileSync(path, `${lines.slice(0, 4).join("\n")}\n`);
  utimesSync(path, 1, 1);
  const { library, events, clock } = libraryOf(async () => (await findNamed([path])).found);
  await library.refresh();
  const [listed] = await library.list();
  expect(listed).toMatchObject({ state: "indexed", live: false, figures: { requests: 2 } });
  const id = listed?.id ?? "";
  const before = await library.open(id);
  const seen = events.last;
  appendFileSync(path, `${lines.slice(4).join("\n")}\n`);
  clock.time += 60_000;
  await library.refresh();
  const after = await library.open(id);
  expect(after?.version).toBe((before?.version ?? 0) + 1);
  expect(after?.index.figures.requests).toBe(4);
  expect(after?.listed.live).toBe(true);
  // What was indexed before is not read again.
  expect(after?.index.messages[0]).toBe(before?.index.messages[0]);
  const told = events.since(seen).map(({ event }) => event);
  expect(told).toContainEqual({ type: "conversation", id, version: after?.version });
  expect(told).toContainEqual({ type: "conversations" });
  rmSync(path);
  clock.time += 60_000;
  const here = events.last;
  await library.refresh();
  expect(await library.list()).toEqual([]);
  expect(events.since(here).map(({ event }) => event)).toContainEqual({
    type: "conversation",
    id,
    version: (after?.version ?? 0) + 1,
  });
});

it("what grows right after it was indexed is shown, however long the first index took", async () => {
  const path = join(folder(), "talk.jsonl");
  recordScript(path, script(3));
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  writeFileSync(path, `${lines.slice(0, 2).join("\n")}\n`);
  let time = Date.now();
  const library = createLibrary({
    find: async () => (await findNamed([path])).found,
    indexFolder: join(folder(), "index"),
    events: createEventLog(),
    // As if whatever is done took an hour.
    now: () => (time += 3_600_000),
  });
  const [listed] = await library.list();
  const id = listed?.id ?? "";
  expect((await library.open(id))?.index.figures.requests).toBe(1);
  appendFileSync(path, `${lines.slice(2, 4).join("\n")}\n`);
  expect((await library.open(id))?.index.figures.requests).toBe(2);
});

it("a conversation of this process: its newest requests as they were sent, its thresholds, and undo", async () => {
  const path = join(folder(), "talk.jsonl");
  recordScript(path, script(3));
  const requests = createLiveRequests(2);
  let undone = 0;
  const live: LiveConversation = {
    file: path,
    requests,
    thresholds: () => [{ name: "compaction", tokens: 167_000 }],
    undo: async (): Promise<UndoResult> => ({ undone: (undone += 1) > 0, message: "Taken back." }),
  };
  const { library, events } = libraryOf(async () => (await findNamed([path])).found, [live]);
  const [listed] = await library.list();
  const opened = await library.open(listed?.id ?? "");
  for (const { responseId, number } of opened?.index.traced.requests ?? []) {
    const system = [
      { type: "text", text: `prompt ${number}`, cache_control: { type: "ephemeral", ttl: "1h" } },
    ];
    requests.add({
      response: responseId,
      betas: [],
      text: () =>
        JSON.stringify({ model: "claude-opus-4-5", system, messages: [{ role: "user", content: "hi" }] }),
    });
  }
  const app = createInspectorApp({ conversations: library, events, token: "t" });
  const ask = async <Answer>(path: string, method = "GET"): Promise<Answer> => {
    const request = new Request(`http://localhost/api/conversations/${listed?.id}${path}`, {
      method,
      headers: { authorization: "Bearer t" },
    });
    return (await (await app(request)).json()) as Answer;
  };
  expect(await ask<ConversationOverview>("")).toMatchObject({
    live: true,
    thresholds: [{ name: "compaction", tokens: 167_000 }],
    canUndo: false,
  });
  // Of the first one only its transcript is left.
  expect((await ask<RequestView>("/requests/0")).source).toBe("rebuilt");
  const view = await ask<RequestView>("/requests/2");
  expect(view.source).toBe("recorded");
  expect(view.blocks).toMatchObject([
    { kind: "system", marker: "1h", preview: "prompt 2", isNew: true },
    { kind: "people", preview: "hi", isNew: false },
  ]);
  expect(view.difference).toMatchObject({ what: "changed", owner: "system block 0", firstByte: 7, block: 0 });
  expect(await ask<UndoResult>("/undo", "POST")).toEqual({ undone: true, message: "Taken back." });
  expect(undone).toBe(1);
});

it("finds what agents of this machine keep, where their variables say so too", async () => {
  const home = folder();
  const codex = folder();
  const put = (...path: readonly string[]): void => {
    const file = join(...path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "{}\n");
  };
  put(home, ".claude/projects/-home-user/a.jsonl");
  put(home, ".claude/projects/-home-user/notes.txt");
  put(codex, "sessions/2026/11/18/rollout-b.jsonl");
  put(home, ".pi/agent/sessions/--home--/c.jsonl");
  put(home, ".gemini/tmp/abc/chats/session-d.json");
  put(home, ".gemini/tmp/abc/logs.json");
  put(home, "own/projects/x-1/e.jsonl");
  const places = conversationPlaces({ HOME: home, CODEX_HOME: codex, PALIMPSEST_HOME: join(home, "own") });
  const found = await findConversations(places);
  expect(found.map(({ agent, file }) => `${agent} ${file.split("/").at(-1)}`).toSorted()).toEqual([
    "claude-code a.jsonl",
    "codex rollout-b.jsonl",
    "gemini session-d.json",
    "palimpsest e.jsonl",
    "pi c.jsonl",
  ]);
});

it("writes nothing but its index", async () => {
  const place = folder();
  const path = join(place, "talk.jsonl");
  recordScript(path, script(2));
  const before = readFileSync(path, "utf8");
  const { library } = libraryOf(async () => (await findNamed([place])).found);
  await library.refresh();
  await library.open((await library.list())[0]?.id ?? "");
  await library.close();
  expect(readdirSync(place)).toEqual(["talk.jsonl"]);
  expect(readFileSync(path, "utf8")).toBe(before);
});

it("tells transcripts of ours that are named as files from Claude Code's", async () => {
  const place = folder();
  const [own, recorded, other] = ["talk.jsonl", "gateway-1.jsonl", "other.jsonl"].map((name) =>
    join(place, name),
  ) as [string, string, string];
  recordScript(own, script(2));
  recordScript(recorded, { ...script(2), withRequests: true });
  const others = readFileSync(own, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { parentUuid, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const beside = { userType: "external", cwd: "/home/somebody", version: "2.0.1" };
      return `${JSON.stringify({ parentUuid, ...beside, ...rest })}\n`;
    });
  writeFileSync(other, others.join(""));
  const earlier = fileURLToPath(
    new URL("../../../../../test/data/transcripts-0.1/clearings-and-compaction.jsonl", import.meta.url),
  );
  const { library } = libraryOf(async () => (await findNamed([own, recorded, other, earlier])).found);
  const agents = new Map((await library.list()).map(({ place: at, agent }) => [basename(at), agent]));
  expect(Object.fromEntries(agents)).toEqual({
    "talk.jsonl": "palimpsest",
    "gateway-1.jsonl": "gateway",
    "other.jsonl": "claude-code",
    "clearings-and-compaction.jsonl": "palimpsest",
  });
});

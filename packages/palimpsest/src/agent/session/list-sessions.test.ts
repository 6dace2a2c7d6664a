import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listSessions, newestSession } from "./list-sessions.js";
import { projectFolder } from "./session-folder.js";

let data = "";
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "palimpsest-list-"));
});
afterEach(() => rm(data, { recursive: true, force: true }));

const line = (content: unknown, more: object = {}): string =>
  JSON.stringify({
    type: "user",
    uuid: crypto.randomUUID(),
    parentUuid: null,
    timestamp: "2026-11-15T10:00:00.000Z",
    sessionId: "s",
    isSidechain: false,
    message: { role: "user", content },
    ...more,
  });

async function store(cwd: string, id: string, lines: readonly string[], age = 0): Promise<void> {
  const folder = projectFolder(data, cwd);
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${id}.jsonl`);
  await writeFile(path, lines.map((one) => `${one}\n`).join(""));
  const time = new Date(Date.now() - age * 1000);
  await utimes(path, time, time);
}

it("lists the newest first, with what the person said first as their title", async () => {
  await store("/p/one", "old", [line("Old question\nwith lines")], 100);
  await store("/p/one", "new", [
    line("a hint", { isMeta: true }),
    line([{ type: "text", text: "New question" }]),
  ]);
  await store("/p/two", "other", [line("Elsewhere")], 50);
  const sessions = await listSessions({ dataDirectory: data, cwd: "/p/one" });
  expect(sessions).toMatchObject([
    { id: "new", title: "New question", messages: 2 },
    { id: "old", title: "Old question with lines", messages: 1 },
  ]);
  expect((await listSessions({ dataDirectory: data })).map(({ id }) => id)).toEqual(["new", "other", "old"]);
  expect(await newestSession(projectFolder(data, "/p/one"))).toBe("new");
});

it("leaves out those in which nothing was said, and bears what cannot be read", async () => {
  await store("/p/one", "empty", []);
  await store("/p/one", "broken", ["{ not json", line("x".repeat(500))], 10);
  expect(await listSessions({ dataDirectory: data, cwd: "/p/one" })).toMatchObject([
    { id: "broken", title: "x".repeat(80), messages: 2 },
  ]);
  expect(await newestSession(projectFolder(data, "/p/one"))).toBe("broken");
  expect(await listSessions({ dataDirectory: join(data, "none") })).toEqual([]);
  expect(await newestSession(projectFolder(data, "/p/none"))).toBeUndefined();
});

import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openEventFile } from "./event-file.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-events-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("is the owner's alone, is appended to, and steers no terminal that shows it", async () => {
  const path = join(folder, "events.jsonl");
  const hostile = "\u001b]0;title\u0007\u009b2J\u202e";
  for (const agentId of [undefined, "agent-1"]) {
    const file = openEventFile(path, { now: () => 7, complain: () => {} });
    const who = agentId === undefined ? {} : { agentId };
    file.write({ name: "file_restored", event: { path: hostile }, sessionId: "s", ...who });
    file.close();
    file.write({ name: "file_restored", event: { path: "after the end" }, sessionId: "s" });
  }
  const text = await readFile(path, "utf8");
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  const lines = text.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { at: 7, event: "file_restored", session_id: "s", data: { path: hostile } },
    { at: 7, event: "file_restored", session_id: "s", agent_id: "agent-1", data: { path: hostile } },
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it("tells once that no more can be written", () => {
  const told: string[] = [];
  const path = join(folder, "events.jsonl");
  const file = openEventFile(path, { now: () => 7, complain: (text) => told.push(text) });
  const circle: { self?: unknown } = {};
  circle.self = circle;
  for (let count = 0; count < 3; count += 1) {
    file.write({ name: "cache_break", event: circle, sessionId: "s" });
  }
  expect(told).toEqual([expect.stringMatching(/^no more events are written to .+events\.jsonl: /)]);
});

import { createHash } from "node:crypto";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeFolders, runCommand, transcriptsIn, type Folders } from "./agent-command.js";
import { startHostileServer, type HostileServer } from "./hostile-server.js";
import { runAgentHere, runHere } from "./run-here.js";

let folders: Folders | undefined;
let server: HostileServer | undefined;
afterEach(async () => {
  await server?.close();
  await folders?.remove();
  server = undefined;
  folders = undefined;
});

const RAW =
  /TypeError|RangeError|Maximum call stack|Cannot read|is not a function|is not iterable|\bat .*\.js:\d+/;

const common = { isSidechain: false, timestamp: "2026-11-01T00:00:00.000Z", sessionId: "s", cwd: "/" };
const user = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}): string =>
  JSON.stringify({
    type: "user",
    uuid,
    parentUuid,
    message: { role: "user", content },
    ...common,
    ...more,
  });
const answer = (uuid: string, parentUuid: string, content: unknown, message: object = {}): string =>
  JSON.stringify({
    type: "assistant",
    uuid,
    parentUuid,
    message: {
      id: `m-${uuid}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5",
      content,
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 5 },
      ...message,
    },
    ...common,
  });

const nested = (depth: number): string => `${'{"a":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`;
const holding = (line: string, json: string): string => line.replace('"@"', json);

const deep = (depth: number): string =>
  [
    user("u0", null, "start"),
    holding(answer("a0", "u0", [{ type: "tool_use", id: "t", name: "Read", input: "@" }]), nested(depth)),
    holding(user("u1", "a0", [{ type: "tool_result", tool_use_id: "t", content: "@" }]), nested(depth)),
    holding(user("u2", "u1", "on", { extra: "@" }), nested(depth)),
    answer("a1", "u2", [{ type: "text", text: "done" }]),
  ].join("\n");

const wrongTypes = [
  user("u0", null, "start"),
  answer("a0", "u0", [{ type: "text", text: "x" }], { model: 5, id: 7, usage: "no", stop_reason: 9 }),
  user("u1", "a0", "go", { timestamp: 5, cwd: 7, version: [] }),
  answer("a1", "u1", [{ type: "tool_use", id: 5, name: 7, input: "x" }, null, 5, { type: 9 }], {
    model: null,
  }),
  user("u2", "a1", [
    { type: "tool_result", tool_use_id: 5, content: { a: 1 } },
    { type: "text", text: 5 },
  ]),
  JSON.stringify({
    type: "system",
    subtype: "compact_boundary",
    uuid: "b",
    parentUuid: null,
    logicalParentUuid: 7,
    compactMetadata: { preservedSegment: 5, trigger: 7, preTokens: "x" },
    ...common,
    timestamp: 5,
  }),
  user("u3", "b", "go"),
  answer("a3", "u3", [{ type: "text", text: "x" }], { model: { a: 1 }, usage: { input_tokens: "x" } }),
].join("\n");

const transcripts = {
  "nested 5,000 deep": deep(5000),
  "nested 50,000 deep": deep(50_000),
  "of wrong types": wrongTypes,
  "of one uuid": Array.from({ length: 3000 }, () => user("same", "same", "x")).join("\n"),
};

describe.each(Object.entries(transcripts))("a transcript %s", (_, text) => {
  it("is read or refused in sentences by every command", async () => {
    const at = await makeFolders("transcripts");
    folders = at;
    const api = await startHostileServer([[{ text: "done" }]]);
    server = api;
    const path = join(at.root, "session.jsonl");
    await writeFile(path, `${text}\n`);
    for (const command of [["transcript", "check"], ["analyze"], ["estimate"], ["replay"]]) {
      const ended = await runHere([...command, path]);
      expect([0, 1]).toContain(ended.code);
      expect(ended.stdout + ended.stderr).not.toMatch(RAW);
      expect(ended.stdout + ended.stderr).not.toBe("");
    }
    await mkdir(join(at.data, "projects"), { recursive: true });
    const work = await realpath(at.work);
    const digest = createHash("sha256").update(work).digest("hex").slice(0, 8);
    const name = work
      .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
      .slice(-60)
      .replace(/^-+/, "");
    const folder = join(at.data, "projects", `${name}-${digest}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "session.jsonl"), `${text}\n`);
    const resumed = await runCommand(at, ["-p", "go", "--resume", "session", "--base-url", api.url]);
    expect(resumed.stderr).not.toMatch(RAW);
    expect([resumed.code, resumed.stdout]).toEqual([0, "done\n"]);
    const listed = await runAgentHere(at, ["sessions"]);
    expect(listed.stdout + listed.stderr).not.toMatch(RAW);
  });
});

it("calls whose inputs are nested without end are told to the model, and stored", async () => {
  const at = await makeFolders("nested");
  folders = at;
  const send = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const api = await startHostileServer([
    (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: "m", type: "message", role: "assistant", model: "x", content: [], usage };
      response.write(
        send("message_start", { message: { ...message, stop_reason: null, stop_sequence: null } }),
      );
      for (const [index, depth] of [5000, 50_000].entries()) {
        const content_block = { type: "tool_use", id: `toolu_${index}`, name: "Read", input: {} };
        response.write(send("content_block_start", { index, content_block }));
        const delta = { type: "input_json_delta", partial_json: nested(depth) };
        response.write(send("content_block_delta", { index, delta }));
        response.write(send("content_block_stop", { index }));
      }
      response.write(
        send("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage }),
      );
      response.end(send("message_stop", {}));
    },
    [{ text: "done" }],
  ]);
  server = api;
  const settings = `{"permissions":${nested(50_000)},"x":${nested(50_000)}}`;
  const ended = await runCommand(at, ["-p", "go", "--base-url", api.url]);
  expect(ended).toEqual({ code: 0, stdout: "done\n", stderr: "" });
  expect(api.bodies.at(-1)).toContain("file_path is missing");
  expect(await transcriptsIn(at.data)).toHaveLength(1);
  await mkdir(join(at.root, ".claude"), { recursive: true });
  await writeFile(join(at.root, ".claude/settings.json"), settings);
  const refused = await runCommand(at, ["-p", "go", "--base-url", api.url]);
  expect(refused.stderr).not.toMatch(RAW);
});

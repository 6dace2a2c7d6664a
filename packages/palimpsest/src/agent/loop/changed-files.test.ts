import { createMemoryReadState } from "@palimpsest/core/restore";
import { mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AgentTool } from "../base/tool.js";
import { createChangedFiles } from "./changed-files.js";
import { call, createLoopAgent, makeTool, resultsIn } from "./testing/loop-agent.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-changed-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

let time = 1000;
const change = async (path: string): Promise<void> => {
  await writeFile(path, "changed");
  await utimes(path, (time += 10), time);
};

const HINT = "Files that you read have changed on disk since";

it("whatever tool changed a file that was read, its result says so, in its text and beside it, once", async () => {
  const readState = createMemoryReadState();
  const path = join(directory, "a.txt");
  const other = join(directory, "b.txt");
  for (const file of [path, other]) {
    await change(file);
    readState.remember(file, { timestamp: 0, mtime: (await stat(file)).mtimeMs });
  }
  const server = { ...makeTool("Server", async () => (await change(path), { content: "ok" })), isMcp: true };
  const blocks = makeTool("Blocks", async () => {
    await rm(other);
    return { content: [{ type: "text", text: "ok" }] };
  });
  const found = makeTool("Found", async () => {
    await change(path);
    return { content: [{ type: "tool_reference", tool_name: "Server" }] } as never;
  });
  const reader: AgentTool = {
    ...makeTool("Look", () => ({ content: "seen" })),
    subject: () => ({ kind: "read" }),
  };
  const { run, conversation } = createLoopAgent({
    steps: [
      { calls: [call("Server")] },
      { calls: [call("Server")] },
      { calls: [call("Blocks")] },
      { calls: [call("Found")] },
      { calls: [call("Look")] },
      "Done.",
      "Yes.",
    ],
    tools: [server, blocks, found, reader],
    agent: { readState, changedFiles: createChangedFiles(readState) },
  });
  await run("Go.");
  const results = resultsIn(conversation.live);
  expect(results[0]?.content).toMatch(new RegExp(`^ok\n\n${HINT}[^]*${path}$`));
  expect(results[1]?.content).toContain(HINT);
  expect(results[2]?.content).toEqual([
    { type: "text", text: "ok" },
    { type: "text", text: expect.stringContaining(`${other} (no longer there)`) },
  ]);
  expect(results[3]?.content).toEqual([{ type: "tool_reference", tool_name: "Server" }]);
  expect(results[4]?.content).toBe("seen");
  const stored = conversation.live.filter((message) => "toolUseResult" in message);
  expect(stored).toMatchObject(
    Array.from({ length: 3 }, () => ({
      toolUseResult: { staleReadFileStateHint: expect.stringContaining(HINT) },
    })),
  );
  // What nobody could be told of is told with the next words of the person.
  await run("And?");
  const told = conversation.live.flatMap((message) =>
    message.type === "attachment" && message.attachment.type === "stale_reads" ? [message.attachment] : [],
  );
  expect(told).toEqual([{ type: "stale_reads", content: expect.stringContaining(path) }]);
});

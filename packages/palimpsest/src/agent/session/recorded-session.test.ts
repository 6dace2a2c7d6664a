import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRecording } from "../../replay/readers/read-recording.js";
import { readRecordedRequests } from "../../replay/requests/recorded-requests.js";
import type { AnswerBlock, Player } from "../../simulator/player.js";
import { withSummaries } from "../../simulator/players/summaries-player.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
let folder = "";
beforeEach(async () => {
  place = await createWorkplace();
  folder = await mkdtemp(join(tmpdir(), "palimpsest-recorded-"));
});
afterEach(async () => {
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Every request in a recording, as it is made again. */
async function requestsIn(name: string): Promise<readonly string[]> {
  const { requests, rebuild } = await readRecordedRequests(join(folder, name));
  const again = await Promise.all(requests.map(rebuild));
  expect(again.map(({ isExact, missing }) => ({ isExact, missing }))).toEqual(
    again.map(() => ({ isExact: true, missing: [] })),
  );
  return again.map(({ text }) => text);
}

const call = (name: string, input: Readonly<Record<string, unknown>>): AnswerBlock => ({
  type: "tool_use",
  name,
  input,
});

/** The main thread starts a subagent, reads, and says something long; the subagent looks at the folder. */
const player: Player = withSummaries({
  answer({ request }, memory) {
    const isSub = JSON.stringify(request.system).includes("You are a subagent");
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    const main: readonly (readonly AnswerBlock[])[] = [
      [call("Agent", { description: "look", prompt: "Look for it." })],
      [call("Read", { file_path: "a.txt" }), call("Bash", { command: "echo two" })],
      [{ type: "text", text: "All is said. ".repeat(4000) }],
    ];
    const sub: readonly (readonly AnswerBlock[])[] = [[call("Bash", { command: "echo sub" })]];
    const content = (isSub ? sub : main)[turn] ?? [{ type: "text" as const, text: "Done." }];
    return { answer: { content }, memory };
  },
});

describe("a recorded session", () => {
  it("is its transcript and every request byte for byte, subagents, compaction and a resume included", async () => {
    await place.write("a.txt", "the contents of a\n".repeat(20));
    const first = await place.open(player, { recordFolder: folder });
    await first.say("Begin.");
    await first.conversation.compact();
    await first.say("Go on.");
    await first.close();
    const second = await place.open(player, { recordFolder: folder, id: first.id, isResumed: true });
    await second.say("And again.");
    await second.close();

    const sent = [...first.requests, ...second.requests].map((request) => JSON.stringify(request));
    const names = (await readdir(folder)).toSorted();
    // The main thread starts a subagent again after the compaction.
    expect(names.filter((name) => /-agent-[\da-f]{8}\.jsonl$/.test(name))).toHaveLength(2);
    expect(names).toHaveLength(3);
    const made = (await Promise.all(names.map(requestsIn))).flat();
    expect(made.length).toBeGreaterThan(7);
    expect(made.toSorted()).toEqual(sent.toSorted());
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o077).toBe(0);

    // The transcript in it is the one that the session keeps, and nothing is in it twice.
    const recorded = await readRecording(join(folder, `palimpsest-${first.id}.jsonl`));
    const kept = await readRecording(first.transcriptPath);
    expect(recorded.messages).toEqual(kept.messages);
    expect(recorded).toMatchObject({ damaged: [], counts: { ...kept.counts, boundaries: 1 } });
    const text = await readFile(join(folder, `palimpsest-${first.id}.jsonl`), "utf8");
    const ids = text.match(/"id":"[\da-f]{32}"/g) ?? [];
    expect(ids.length).toBeGreaterThan(20);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("of a conversation that began before, what it had stands first; what looks like a key does not", async () => {
    const answers = [{ text: "One." }, { text: "Two." }];
    const first = await place.open(answers);
    await first.say("Use sk-ant-api03-abcdefghijklmnop for it.");
    await first.close();
    const second = await place.open(answers.slice(1), {
      recordFolder: folder,
      id: first.id,
      isResumed: true,
      secrets: ["a-key-of-mine"],
    });
    await second.say("What is a-key-of-mine?");
    await second.close();
    const file = join(folder, `palimpsest-${first.id}.jsonl`);
    const text = await readFile(file, "utf8");
    expect(text).not.toMatch(/abcdefghijklmnop|a-key-of-mine/);
    const { requests, rebuild } = await readRecordedRequests(file);
    const [again] = await Promise.all(requests.map(rebuild));
    expect(requests[0]?.record.redacted).toBe(true);
    expect(again).toMatchObject({ isExact: false, missing: [] });
    expect(again?.text).toContain("Use [redacted] for it.");
    expect((await readRecording(file)).counts).toMatchObject({ humanTurns: 2 });
  });

  it("what a server refused is there with what it said", async () => {
    const session = await place.open(
      [{ error: { status: 400, type: "invalid_request_error", message: "no" } }],
      {
        recordFolder: folder,
      },
    );
    await session.say("Hello.");
    await session.close();
    const { requests } = await readRecordedRequests(join(folder, `palimpsest-${session.id}.jsonl`));
    expect(requests.map(({ record }) => record)).toMatchObject([
      { error: "invalid_request_error", status: 400 },
    ]);
  });

  it("a disk that refuses is told once, and no request fails for it", async () => {
    const told: string[] = [];
    const session = await place.open([{ text: "One." }, { text: "Two." }], {
      recordFolder: folder,
      onNotice: (text) => told.push(text),
    });
    await rm(folder, { recursive: true });
    await session.say("Hello.");
    await rm(folder, { recursive: true, force: true });
    const { result } = await session.say("Again.");
    await session.close();
    expect(result.reason).toBe("done");
    expect(told.filter((text) => text.startsWith("nothing more is recorded"))).toEqual([
      `nothing more is recorded in ${folder}: ENOENT`,
    ]);
  });
});

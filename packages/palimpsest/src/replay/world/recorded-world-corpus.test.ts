import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AssistantMessage, Message } from "@palimpsest/core";
import type { AnswerBlock } from "../../simulator/player.js";
import { readRecording } from "../readers/read-recording.js";
import type { RecordedFileCounts } from "./recorded-files.js";
import { playedBlocks } from "../policies/played-blocks.js";
import { createRecordedWorld } from "./recorded-world.js";
import { corpusFolder } from "../testing/corpus-folder.js";

const corpus = corpusFolder;
const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";

const played = ({ message }: AssistantMessage): readonly AnswerBlock[] => playedBlocks(message.content);

/** Everything that a recording holds, in its order. */
function play(messages: readonly Message[]) {
  const world = createRecordedWorld();
  for (const message of messages) {
    const now = Date.parse(message.timestamp) || 0;
    if (message.type === "assistant") world.noteResponse(played(message), now);
    else world.note([message], now);
  }
  return world;
}

const sumOf = (all: readonly RecordedFileCounts[], key: keyof RecordedFileCounts): number =>
  all.reduce((sum, counts) => sum + counts[key], 0);

describe.skipIf(corpus === undefined)(`the world of recorded conversations${reason}`, () => {
  const folder = corpus ?? "";

  it("notes nearly all reads, follows most edits, and can show what it remembers", async () => {
    const all: RecordedFileCounts[] = [];
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".jsonl"))) {
      const { messages } = await readRecording(join(folder, name));
      const world = play(messages);
      const { ports, readState } = world.state;
      all.push(world.counts());
      const todos = (await ports.todos?.todos(undefined)) ?? [];
      const plan = await ports.plan?.plan(undefined);
      const skills = (await ports.skills?.invoked(undefined)) ?? [];
      const { reads } = readState.snapshot();
      console.log(
        `${name.slice(0, 44)}: ${JSON.stringify(world.counts())}; ${reads.length} files, ${todos.length} todos, ` +
          `${plan?.content?.length ?? 0} characters of plan, ${skills.length} skills`,
      );
      for (const { path, offset, limit } of reads) {
        const part = {
          ...(offset === undefined ? {} : { offset }),
          ...(limit === undefined ? {} : { limit }),
        };
        const outcome = await ports.files?.read(path, part);
        expect(outcome, `${name}: ${path} ${JSON.stringify(part)}`).toMatchObject({
          kind: "text",
          isTruncated: false,
        });
      }
    }
    const share = (part: number, whole: number): string => `${part} of ${whole}`;
    const knownEdits = sumOf(all, "edits") - sumOf(all, "unknownEdits");
    console.log(
      `reads noted: ${share(sumOf(all, "notedReads"), sumOf(all, "reads"))}; ` +
        `edits of known files followed: ${share(sumOf(all, "followedEdits"), knownEdits)}`,
    );
    expect(sumOf(all, "notedReads")).toBeGreaterThan(sumOf(all, "reads") * 0.98);
    expect(sumOf(all, "followedEdits")).toBeGreaterThan(knownEdits * 0.8);
  });
});

import { describe, expect, it } from "vitest";
import {
  call,
  incoming,
  madeUpConversation,
  result,
  text,
  type MadeUpRound,
} from "../testing/made-up-rounds.js";
import { addTallies } from "../results/tally.js";
import type { Rereads } from "../results/rereads.js";
import { parsePolicies } from "../policies/parse-policies.js";
import type { RecordedConversation } from "../rounds/recorded-round.js";
import type { AnswerBlock } from "../../simulator/player.js";
import { playConversation } from "./play-conversation.js";

const LINE = "export const wick = trimmed(lamp);";
const FILE = `export const lamp = lit("here");\n${LINE}\n`;
const edit: AnswerBlock = {
  type: "tool_use",
  id: "e",
  name: "Edit",
  input: { file_path: "/work/lamp.ts", old_string: LINE, new_string: `${LINE} // lit` },
};
const readLamp = (id: string): AnswerBlock => call(id, { file_path: "/work/lamp.ts" });

/** Before the third round everything became this summary. */
async function compacted(after: readonly MadeUpRound[], summary: string): Promise<RecordedConversation> {
  const conversation = await madeUpConversation([
    { in: "mend /work/lamp.ts", out: [readLamp("t0")] },
    { in: [result("t0", FILE)], out: [text("I have seen it.")] },
    ...after,
  ]);
  async function* rounds() {
    let number = 0;
    for await (const round of conversation.rounds()) {
      number += 1;
      const messages = [incoming(summary, "S")];
      const own = { after: 0, messages, keptResponses: 0, keptMessages: 0 };
      yield number === 3 ? { ...round, compacted: own } : round;
    }
  }
  return { overview: { ...conversation.overview, undoneCompactions: 1 }, rounds };
}

async function rereadsOf(after: readonly MadeUpRound[], summary: string): Promise<Rereads | undefined> {
  const policies = parsePolicies("none,as-recorded");
  const { result: file, tallies } = await playConversation(await compacted(after, summary), {
    policies,
    model: "claude-opus-4-5",
  });
  expect(file.policies["none"]).not.toHaveProperty("rereads");
  const tally = tallies["as-recorded"];
  if (tally === undefined) throw new Error("it was played");
  expect(addTallies([tally, tally]).rereads?.compactions).toBe(2);
  return file.policies["as-recorded"]?.rereads;
}

const READ_AGAIN: readonly MadeUpRound[] = [
  { in: "go on", out: [readLamp("t1")] },
  { in: [result("t1", FILE)], out: [edit] },
];
const ONCE = { files: 1, reads: 1, commands: 0 };
const NEVER = { files: 0, reads: 0, commands: 0 };

describe("reading again around a recorded compaction", () => {
  it("is predicted where the summary lacks what the edit quotes, although the recorded agent had read it again", async () => {
    expect(await rereadsOf(READ_AGAIN, "We work on a lamp.")).toEqual({
      compactions: 1,
      rounds: 2,
      after: ONCE,
      before: NEVER,
      observed: ONCE,
      predicted: ONCE,
      matched: 1,
    });
  });

  it("is predicted where nobody read again", async () => {
    const edited = [{ in: "go on", out: [edit] }];
    expect(await rereadsOf(edited, "We work on a lamp.")).toMatchObject({ observed: NEVER, predicted: ONCE });
  });

  it("is not predicted where nothing is needed of what was read again", async () => {
    const looked = READ_AGAIN.map((round, at) => (at === 1 ? { ...round, out: [text("fine")] } : round));
    expect(await rereadsOf(looked, "We work on a lamp.")).toMatchObject({ observed: ONCE, predicted: NEVER });
  });
});

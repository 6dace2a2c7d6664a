import { describe, expect, it } from "vitest";
import type { AnswerBlock } from "../../packages/palimpsest/src/simulator/index.js";
import { createSession, mcpTool, type Turn } from "./session.js";

const left = ({ outcome: { verdict } }: Turn): number =>
  verdict.cacheRead + verdict.cacheWrite5m + verdict.cacheWrite1h;

const read = (name: string): AnswerBlock => ({ type: "tool_use", name: "Read", input: { file_path: name } });

/** Parallel calls now and then, and a turn of 25 blocks. */
const answers = (turn: number): readonly AnswerBlock[] => {
  if (turn === 20) return Array.from({ length: 12 }, (_, index) => read(`/many-${index}`));
  if (turn === 35) return Array.from({ length: 24 }, (_, index) => read(`/more-${index}`));
  return turn % 4 === 1
    ? [{ type: "text", text: "both" }, read(`/a-${turn}`), read(`/b-${turn}`)]
    : [read(`/c-${turn}`)];
};

describe.each([
  ["claude-opus-5", false],
  ["claude-opus-5", true],
  ["claude-sonnet-4-6", true],
])("fifty turns (%s, thinking %s)", (model, isThinking) => {
  it("read all that the turn before wrote, but where a break was provoked; each is named, and no other", async () => {
    const session = createSession({ model, isThinking, answers });
    const provoked = new Set<number>();
    let before: Turn | undefined;
    const named: (readonly string[])[] = [];
    let largestTurn = 0;
    for (let turn = 0; turn < 50; turn += 1) {
      // A server goes away and comes back with its definitions worded and ordered anew.
      if (turn === 10) session.state.tools = session.state.tools.slice(0, 3);
      if (turn === 15) {
        const back = mcpTool("query").definition;
        const reordered = { ...back, description: "other words", input_schema: { ...back.input_schema } };
        session.state.tools = [{ definition: reordered }, ...session.state.tools.toReversed()];
      }
      if (turn === 30) {
        session.state.clock = "evening";
        provoked.add(turn);
      }
      if (turn === 40) {
        session.state.tools = [...session.state.tools, mcpTool("insert")];
        provoked.add(turn);
      }
      const says = turn % 7 === 3 ? [{ type: "text" as const, text: `and then ${turn}` }] : [];
      const blocksBefore = before?.built.request.messages.flatMap(({ content }) => [...content]).length ?? 0;
      const now = await session.turn({ says });
      const blocks = now.built.request.messages.flatMap(({ content }) => [...content]).length;
      largestTurn = Math.max(largestTurn, blocks - blocksBefore);
      expect(now.built.markers).toBeLessThanOrEqual(4);
      if (before !== undefined && !provoked.has(turn)) {
        expect(now.outcome.verdict.cacheRead, `turn ${turn}`).toBe(left(before));
        expect(now.found).toBeUndefined();
      }
      if (now.found !== undefined) named.push(now.found.reasons.map(({ kind }) => kind));
      before = now;
    }
    expect(largestTurn).toBeGreaterThan(25);
    expect(named).toEqual([["system-changed"], ["tools-changed"]]);
  });
});

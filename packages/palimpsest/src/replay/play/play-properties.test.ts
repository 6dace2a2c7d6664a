import fc from "fast-check";
import { expect, it } from "vitest";
import { madeUpConversation, result, text, words, type MadeUpRound } from "../testing/made-up-rounds.js";
import { parsePolicies } from "../policies/parse-policies.js";
import { answerBlocks, playableId } from "../rounds/answer-blocks.js";
import { playConversation } from "./play-conversation.js";

/** The API never gives an id twice: the place of a call is part of it. */
const idOf = (round: number, place: number): string => `call:${round} ä/${place}`;
const block = fc.oneof(
  fc.record({
    type: fc.constant("text"),
    text: fc.constantFrom("fine", " ", "I look at src/lamp.ts", "x\u0000\ud800"),
  }),
  fc.record({
    type: fc.constant("thinking"),
    thinking: fc.constantFrom("hm", ""),
    signature: fc.constantFrom("", "c2lnbmF0dXJl"),
  }),
  fc.record({
    type: fc.constant("tool_use"),
    id: fc.constant(""),
    name: fc.constantFrom("Read", "mcp tool/ä", "", "x".repeat(300)),
    input: fc.constantFrom({}, { file_path: "src/lamp.ts" }, "no object", null),
  }),
  fc.record({
    type: fc.constant("tool_use"),
    id: fc.constant(""),
    name: fc.constantFrom("Edit", "Bash"),
    input: fc.constantFrom(
      { file_path: "src/lamp.ts", old_string: "export const wick = trimmed(lamp);", new_string: "" },
      { command: "cat src/lamp.ts\nexport const wick = trimmed(lamp);" },
    ),
  }),
  fc.record({
    type: fc.constantFrom("server_tool_use", "redacted_thinking", "nonsense"),
    data: fc.constant("abcdefgh"),
  }),
);
const came = fc.oneof(
  fc.constantFrom(
    undefined,
    "",
    "go on",
    "mend src/lamp.ts: export const wick = trimmed(lamp);",
    words(3000),
  ),
  fc.array(
    fc.tuple(fc.nat(4), fc.constantFrom("", "found", "  3→export const wick = trimmed(lamp);", words(4000))),
    { maxLength: 3 },
  ),
);
const round = fc.record({
  came,
  blocks: fc.array(block, { minLength: 1, maxLength: 4 }),
  after: fc.constantFrom(0, 1, 10, 90),
});

const MODELS = ["claude-opus-5-5", "claude-opus-4-5", "claude-haiku-4-5"];
const POLICIES =
  "palimpsest,none,truncate(at=0.4),mask(keep=1),clear-tool-uses(at=30000;keep=1),summarise-all(at=0.5)";

it("whatever was recorded, no policy sends what the API rejects, and every figure is a number", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(round, { maxLength: 14 }),
      fc.constantFrom(...MODELS),
      async (recorded, model) => {
        const rounds = recorded.map(({ came: incoming, blocks, after }, index): MadeUpRound => {
          const said = answerBlocks(
            blocks.map((one, place) => (one.type === "tool_use" ? { ...one, id: idOf(index, place) } : one)),
          );
          const brought =
            typeof incoming === "object"
              ? incoming.map(([place, content]) => result(playableId(idOf(index - 1, place)), content))
              : incoming;
          return {
            ...(brought === undefined ? {} : { in: brought }),
            out: said.length === 0 ? [text("nothing")] : said,
            after,
          };
        });
        const { result: played } = await playConversation(await madeUpConversation(rounds), {
          policies: parsePolicies(POLICIES),
          model,
          window: 100_000,
          series: true,
          missing: true,
        });
        for (const [name, { invalid, endedAtTurn, endedBecause, ...figures }] of Object.entries(
          played.policies,
        )) {
          const { regainingEndedAtTurn } = figures;
          expect({
            name,
            invalid,
            endedBecause: invalid === 0 ? null : endedBecause,
            regainingEndedAtTurn: endedAtTurn === null ? regainingEndedAtTurn : null,
          }).toEqual({ name, invalid: 0, endedBecause: null, regainingEndedAtTurn: null });
        }
        expect(JSON.parse(JSON.stringify(played))).toEqual(played);
      },
    ),
    { numRuns: 200 },
  );
});

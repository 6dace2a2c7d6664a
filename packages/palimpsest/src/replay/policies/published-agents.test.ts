import type { RequestMessage } from "@palimpsest/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run, type Ended, type Sent } from "../testing/play-policy.js";
import {
  call,
  madeUpRounds,
  result,
  text,
  thinking,
  words,
  type MadeUpRound,
} from "../testing/made-up-rounds.js";
import { policyNames } from "./parse-policies.js";

const texts = (messages: readonly unknown[]): string => JSON.stringify(messages);
const firstEdited = ({ turns }: Ended): number => turns.findIndex(({ edits }) => edits.length > 0);
const seenBy = (sent: Sent | undefined): readonly RequestMessage[] => sent?.seen ?? [];
/** Of the first message, which is all there is after some compactions. */
const blocks = (sent: Sent | undefined): readonly unknown[] => {
  const content = seenBy(sent)[0]?.content ?? [];
  return typeof content === "string" ? [content] : content;
};
const tokensBefore = ({ turns }: Ended): readonly number[] =>
  turns.flatMap(({ edits }) => edits.map((edit) => edit.tokensBefore));

/** Rounds that read files, with numbered lines, as a reading tool shows them. */
const files = (count: number, lines: number): readonly MadeUpRound[] =>
  Array.from({ length: count }, (_, at) => ({
    in:
      at === 0
        ? "please read the files"
        : [
            result(
              `t${at}`,
              Array.from(
                { length: lines },
                (_unused, line) => `${line + 1}→const r${at}x${line} = ${line};`,
              ).join("\n"),
            ),
          ],
    out: [thinking(`on to file ${at + 1}`), call(`t${at + 1}`, { file_path: `/src/file${at + 1}.ts` })],
  }));

describe("classic", () => {
  const play = (rounds = files(20, 250)) =>
    run("classic", madeUpRounds(rounds), { ttl: "1h", window: 80_000 });

  it("waits until 33,000 tokens are left, then one call on the shared cache replaces everything", async () => {
    const played = await play();
    const at = firstEdited(played);
    expect(played.ended).toBeUndefined();
    expect(tokensBefore(played)[0]).toBeGreaterThan(80_000 - 33_000 - 8000);
    expect(played.turns[at]?.edits).toMatchObject([{ tier: "full" }]);
    const [asked] = played.asked;
    const before = played.turns[at - 1]?.call.request;
    // The same head, and the messages of the request before with their markers: nothing but the end is new.
    expect(asked?.request.system).toEqual(before?.system);
    expect(asked?.request.tools).toEqual(before?.tools);
    expect(asked?.request.max_tokens).toEqual(before?.max_tokens);
    expect(asked?.request.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    const end = texts(asked?.request.messages.slice(before?.messages.length) ?? []);
    expect(end).toContain("detailed summary");
    expect(end).not.toContain("cache_control");
    expect(played.sideCalls).toBe(played.turns.flatMap(({ edits }) => edits).length);
  });

  it("brings back the five files that were read last, each up to 5,000 tokens, and keeps nothing else", async () => {
    const played = await play(
      files(20, 1200).map((round, at) => (at < 2 ? round : (files(20, 250)[at] ?? round))),
    );
    const at = firstEdited(played);
    const [first] = seenBy(played.turns[at]);
    expect(seenBy(played.turns[at])).toHaveLength(1);
    const shown = texts([first]);
    const restored = [...shown.matchAll(/The file (\/src\/file\d+\.ts)/g)].map((match) => match[1]);
    expect(restored).toHaveLength(5);
    expect(restored[0]).toBe(`/src/file${at}.ts`);
    expect(restored).toEqual([...new Set(restored)]);
    // What was read before those is gone.
    expect(shown).not.toContain("r1x0 =");
    for (const file of shown.split("The file ").slice(1)) expect(file.length).toBeLessThan(23_000);
  });

  it("entries live an hour", async () => {
    const { turns } = await play(files(3, 10));
    expect(turns.map(({ call: { request } }) => texts([request]).split('"ttl":"1h"').length - 1)).toEqual([
      2, 3, 3,
    ]);
  });

  it("a call on the cache that is too long is made again without the oldest rounds", async () => {
    const huge: readonly MadeUpRound[] = [
      { in: words(4000), out: [text("read")] },
      { in: words(4000, "more"), out: [text("read that too")] },
      { in: words(14_000, "last"), out: [text("done")] },
    ];
    const played = await run("classic", madeUpRounds(huge), { ttl: "1h", window: 60_000 });
    expect(played.asked.length).toBeGreaterThan(1);
    expect(texts([played.asked.at(-1)])).not.toContain("word3999");
  });
});

describe("pi", () => {
  it("keeps about 20,000 tokens from a message that is no result, with a summary before them", async () => {
    const played = await run("pi", madeUpRounds(files(24, 500)), { window: 100_000 });
    const at = firstEdited(played);
    expect(tokensBefore(played)[0]).toBeGreaterThan(100_000 - 16_384);
    const [summary, second] = seenBy(played.turns[at]);
    expect(texts([summary])).toContain("The conversation history before this point was summarised");
    expect(second?.role).toBe("assistant");
    const kept = texts(seenBy(played.turns[at]).slice(1)).length / 4;
    expect(kept).toBeGreaterThan(15_000);
    expect(kept).toBeLessThan(32_000);
    expect(texts(seenBy(played.turns[at]))).toContain(`r${at}x499`);
  });

  it("the call for it is shown text, with long results cut, and no tools", async () => {
    const { asked } = await run("pi", madeUpRounds(files(24, 500)), { window: 100_000 });
    const { request } = asked[0] ?? {};
    expect(request?.tools).toBeUndefined();
    expect(request?.max_tokens).toBe(4096);
    expect(request?.messages).toHaveLength(1);
    const shown = texts(request?.messages ?? []);
    expect(shown).toContain("[Assistant tool calls]: Read(file_path=");
    expect(shown).toContain("more characters]");
    expect(shown).not.toContain("r1x499");
  });

  it("lists files over all compactions, and brings the summary before up to date", async () => {
    const rounds = files(60, 500).map((round, at) =>
      at % 10 === 0 && at > 0 ? { ...round, in: `next ${at}` } : round,
    );
    const played = await run("pi", madeUpRounds(rounds), { window: 100_000 });
    const edited = played.turns.filter(({ edits }) => edits.length > 0);
    expect(edited.length).toBeGreaterThan(1);
    const last = texts(seenBy(edited.at(-1)).slice(0, 1));
    expect(last).toContain("<read-files>");
    expect(last).toContain("/src/file1.ts");
    const updates = played.asked.filter((one) =>
      texts(one.request.messages as never).includes("<previous-summary>"),
    );
    expect(updates.length).toBeGreaterThan(0);
    // One summary, not one in another.
    expect(texts(seenBy(edited.at(-1))).split("before this point was summarised")).toHaveLength(2);
  });

  it("a turn that is cut gets a summary of its own", async () => {
    const { asked, turns } = await run("pi", madeUpRounds(files(24, 500)), { window: 100_000 });
    expect(
      asked.some(({ request }) => texts(request.messages as never).includes("beginning of a turn")),
    ).toBe(true);
    const at = turns.findIndex(({ edits }) => edits.length > 0);
    expect(texts(seenBy(turns[at]).slice(0, 1))).toContain("The turn that is cut");
  });
});

describe("codex", () => {
  const spoken = (count: number, said: (at: number) => string): readonly MadeUpRound[] =>
    Array.from({ length: count }, (_, at) => ({ in: said(at), out: [text(words(700, `a${at}x`))] }));

  it("at 90% of the window, people's words and a summary take the place of everything", async () => {
    const played = await run("codex", madeUpRounds(spoken(40, (at) => `wish number ${at}`)));
    const at = firstEdited(played);
    expect(tokensBefore(played)[0]).toBeGreaterThanOrEqual(54_000);
    const shown = texts(seenBy(played.turns[at]));
    for (let wish = 0; wish <= at; wish += 1) expect(shown).toContain(`wish number ${wish}`);
    expect(shown).toContain("Another language model started on this task");
    expect(shown).not.toContain("a1x699 ");
  });

  it("of what people said the newest 20,000 tokens stay, cut in the middle of the one that does not fit", async () => {
    const long = (at: number): string => `start${at} ${words(1200, `w${at}y`)} end${at}`;
    const played = await run("codex", madeUpRounds(spoken(40, long)), { window: 200_000 });
    const shown = texts(blocks(played.turns[firstEdited(played)]).slice(0, -1));
    expect(shown).toMatch(/\[\d+ tokens left out\]/);
    const kept = [...shown.matchAll(/end(\d+)/g)].map((match) => Number(match[1]));
    expect(kept.length).toBeGreaterThan(2);
    expect(kept[0]).toBeGreaterThan(0);
    const characters = [...shown.matchAll(/w\d+y\d+/g)].join(" ").length;
    expect(characters).toBeLessThan(81_000);
  });

  it("says summaries once: the one before is not taken for a person's words", async () => {
    const played = await run("codex", madeUpRounds(spoken(60, (at) => `wish number ${at}`)));
    const edited = played.turns.filter(({ edits }) => edits.length > 0);
    expect(edited.length).toBeGreaterThan(1);
    const summaries = blocks(edited.at(-1)).filter((block) =>
      texts([block]).startsWith('[{"type":"text","text":"Another'),
    );
    expect(summaries).toHaveLength(1);
    expect(texts(summaries)).toContain("Goal:");
  });
});

describe("policies that are made to cheat", () => {
  it("cheat-lines pastes what it saw last, line by line", async () => {
    const played = await run("cheat-lines", madeUpRounds(files(20, 250)));
    const [first] = seenBy(played.turns[firstEdited(played)]);
    const shown = texts([first]);
    expect(shown).toContain(`r${firstEdited(played)}x249 =`);
    expect(shown.split("\\n").length).toBeLessThan(2200);
    expect(shown.split("\\n").length).toBeGreaterThan(500);
  });

  it("cheat-paths names every path, after the second summary too", async () => {
    const played = await run("cheat-paths", madeUpRounds(files(60, 250)));
    const edited = played.turns.filter(({ edits }) => edits.length > 0);
    expect(edited.length).toBeGreaterThan(1);
    const shown = texts(seenBy(edited.at(-1)).slice(0, 1));
    for (const file of ["/src/file1.ts", "/src/file17.ts"]) expect(shown).toContain(file);
  });
});

/** Whatever is recorded, what a policy sends is a request that the API accepts. */
describe("no policy sends what the API refuses", () => {
  const round = fc.record({
    kind: fc.constantFrom("read", "say", "think"),
    size: fc.integer({ min: 1, max: 3500 }),
    after: fc.integer({ min: 0, max: 90 }),
  });
  const recorded = fc.array(round, { minLength: 1, maxLength: 20 }).map((kinds) => {
    let open: string | undefined;
    return kinds.map(({ kind, size, after }, at): MadeUpRound => {
      const incoming =
        open === undefined ? `so ${words(size, `s${at}x`)}` : [result(open, words(size, `r${at}x`))];
      open = kind === "read" ? `t${at}` : undefined;
      const spoken =
        kind === "think" ? [thinking(words(size, `k${at}x`)), text("so")] : [text(words(20, `a${at}x`))];
      return {
        in: incoming,
        out: kind === "read" ? [call(`t${at}`, { file_path: `/f${at}.ts` })] : spoken,
        after,
      };
    });
  });
  const names = policyNames.filter((name) => name !== "palimpsest");

  it.each(names)("%s", async (policy) => {
    await fc.assert(
      fc.asyncProperty(
        recorded,
        fc.constantFrom("claude-opus-5-5", "claude-opus-4-5"),
        async (rounds, model) => {
          const { ended } = await run(policy, madeUpRounds(rounds), { model, ttl: "1h" });
          expect(ended?.kind ?? "context-overflow").toBe("context-overflow");
        },
      ),
      { numRuns: 6 },
    );
  });
});

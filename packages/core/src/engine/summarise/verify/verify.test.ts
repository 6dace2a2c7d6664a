import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../messages/message.js";
import { conversationBuilder } from "../../../testing/conversation-builder.js";
import { createHeuristicEstimator } from "../../measure/heuristic-estimator.js";
import { humanTextsOf } from "../people/human-texts.js";
import { sectionTitles } from "../shape/sections.js";
import { findSections, sectionBody } from "../shape/summary-sections.js";
import { verifySummary, type VerifiedSummary, type VerifyOptions } from "./verify.js";

const estimator = createHeuristicEstimator();

function conversation(): readonly Message[] {
  const to = conversationBuilder();
  const edit = {
    type: "tool_use",
    id: "t1",
    name: "Edit",
    input: { file_path: "src/app.ts", old_string: "a", new_string: "b" },
  } as const;
  return [
    to.user("please rename a to b in src/app.ts"),
    to.assistant([{ type: "text", text: "I will." }, edit]),
    to.user([{ type: "tool_result", tool_use_id: "t1", content: "done; see also src/other.ts" }]),
    to.assistant("Renamed it."),
    to.user("yes\n7. Pending tasks:\nthanks </summary>"),
  ];
}

const live = conversation();
const humanTexts = humanTextsOf(live);
const verify = (summary: string, more: Partial<VerifyOptions> = {}): VerifiedSummary =>
  verifySummary({ summary, variant: "full", live, humanTexts, estimator, ...more });

const complete = (bodies: Readonly<Record<number, string>> = {}): string =>
  sectionTitles("full")
    .map((title, index) => `${index + 1}. ${title}:\n${bodies[index + 1] ?? `   About ${index + 1}.`}`)
    .join("\n\n");

const quoting = "   - please rename a to b in src/app.ts\n   - yes 7. Pending tasks: thanks </summary>";
const bodyOf = (text: string, number: number): string => sectionBody(text, findSections(text), number);
const numbersIn = (text: string): readonly number[] => findSections(text).map(({ number }) => number);
const nothing = { sectionsAdded: [], messagesAdded: 0, pathsUnknown: [] };

it("leaves a summary that is in order as it is", () => {
  const summary = complete({ 3: "   - src/app.ts and other.ts", 6: quoting });
  expect(verify(summary)).toEqual({ text: summary, mended: nothing });
});

describe("sections", () => {
  it("that are missing or empty are written from the messages, in their places", () => {
    const summary = complete({ 6: quoting, 4: "  " })
      .replace(/3\. Files[^]*?(?=4\.)/, "")
      .replace(/9\. [^]*$/, "");
    const { text, mended } = verify(summary);
    expect(mended.sectionsAdded).toEqual([3, 4, 9]);
    expect(numbersIn(text)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(bodyOf(text, 3)).toContain("src/app.ts");
    expect(bodyOf(text, 9)).toContain("Renamed it.");
    expect(verify(text)).toEqual({ text, mended: nothing });
  });

  it("of a summary without any are all added behind it", () => {
    const { text, mended } = verify("They renamed something.");
    expect(mended).toEqual({
      sectionsAdded: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      messagesAdded: 2,
      pathsUnknown: [],
    });
    expect(text).toMatch(/^They renamed something\.\n\n1\. Primary request/);
    expect(verify(text)).toEqual({ text, mended: nothing });
  });

  it("have the titles of the variant", () => {
    expect(verify("", { variant: "up_to" }).text).toMatch(
      /8\. Work completed:[^]*9\. Context for continuing work:/,
    );
  });
});

describe("what people said", () => {
  it("is added word for word where it is not there", () => {
    const { text, mended } = verify(complete({ 6: "   - to rename something" }));
    expect(mended).toEqual({ ...nothing, messagesAdded: 2 });
    expect(bodyOf(text, 6)).toBe(
      "- to rename something\n   Added word for word, because the summary left them out:\n" +
        "[1] please rename a to b in src/app.ts\n[2] yes\n    7. Pending tasks:\nthanks </summary>",
    );
    expect(bodyOf(text, 7)).toBe("About 7.");
    expect(verify(text)).toEqual({ text, mended: nothing });
  });

  it("counts only in section 6", () => {
    expect(verify(complete({ 5: quoting })).mended.messagesAdded).toBe(2);
  });

  it("may be shortened as section 6 shortens it, or stand there in full", () => {
    const texts = [{ uuid: "u", text: `start ${"word ".repeat(5000)}end` }];
    const options = { humanTexts: texts, transcriptPath: "/logs/s.jsonl" };
    const { text, mended } = verify(complete(), options);
    expect(mended.messagesAdded).toBe(1);
    expect(text).toContain("in the transcript /logs/s.jsonl, message u");
    expect(verify(text, options).mended).toEqual(nothing);
    expect(verify(complete({ 6: texts[0]?.text ?? "" }), options).mended).toEqual(nothing);
  });
});

describe("paths", () => {
  it("that nobody has seen are listed as such, once", () => {
    const summary = complete({
      3: "   - `src/app.ts`, `lib/made-up.go`, other.ts, lib/made-up.go",
      6: quoting,
    });
    const { text, mended } = verify(summary);
    expect(mended.pathsUnknown).toEqual(["lib/made-up.go"]);
    expect(bodyOf(text, 3)).toMatch(
      /\n {3}Not seen in the conversation, to be checked before use: lib\/made-up\.go$/,
    );
    expect(verify(text)).toEqual({ text, mended: nothing });
  });

  it("are known from inputs, results, carried words, attachments and earlier summaries", () => {
    const to = conversationBuilder();
    const [boundary, summary] = to.compaction();
    const earlier = { ...summary, message: { ...summary.message, content: "worked on `pkg/old.rs`." } };
    const file = {
      ...to.attachment("file"),
      attachment: { type: "file", path: "/data/in.csv", content: "x" },
    };
    const named = complete({
      3: "   - pkg/old.rs, /data/in.csv, said.py, /logs/s.jsonl",
      6: "   - look at said.py",
    });
    const options = {
      live: [boundary, earlier, file],
      humanTexts: [{ uuid: "u", text: "look at said.py" }],
      transcriptPath: "/logs/s.jsonl",
    };
    expect(verify(named, options).mended).toEqual(nothing);
  });

  it("without end are counted", () => {
    const made = Array.from({ length: 130 }, (_, index) => `gen/file${index}.ts`).join(", ");
    const { text, mended } = verify(complete({ 3: made, 6: quoting }));
    expect(mended.pathsUnknown).toHaveLength(130);
    expect(bodyOf(text, 3)).toMatch(/file99\.ts, and 30 more$/);
    expect(verify(text)).toEqual({ text, mended: nothing });
  });
});

it("whatever the summary and the messages: nine sections, and verifying again mends nothing", () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      "7. Pending tasks:",
      "## Files and code sections",
      "**Next steps:**",
      "</summary>",
      "<summary>",
      "```",
      "[1] x",
      "src/app.ts and lib/none.go",
      "./run gen/a.ts:3, ~/b",
      "\ud800",
      "\u20286. All user messages:",
      "\r\n",
      "   Not seen in the conversation, to be checked before use: a.ts, and 3 more",
      "   Added word for word, because the summary left them out:",
      ...sectionTitles("full").map((title, index) => `${index + 1}. ${title}:`),
    ),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.lorem({ maxCount: 4 }),
  );
  const hostile = fc.array(fragment, { maxLength: 20 }).map((lines) => lines.join("\n"));
  const caps = fc.record({
    perMessageTokens: fc.integer({ min: 60, max: 300 }),
    totalTokens: fc.integer({ min: 0, max: 500 }),
  });
  fc.assert(
    fc.property(hostile, fc.array(hostile, { maxLength: 5 }), caps, (summary, said, limits) => {
      const to = conversationBuilder();
      const messages = said.flatMap((text) => [to.user(text), to.assistant(text)]);
      const options = { live: messages, humanTexts: humanTextsOf(messages), ...limits };
      const { text } = verify(summary, options);
      expect(new Set(numbersIn(text))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9]));
      for (let number = 1; number <= 9; number += 1) expect(bodyOf(text, number)).not.toBe("");
      expect(verify(text, options)).toEqual({ text, mended: nothing });
      expect(text.isWellFormed()).toBe(true);
    }),
    { numRuns: 1500 },
  );
});

it("reads the conversation as often for many paths as for one", () => {
  const to = conversationBuilder();
  const filler = "lorem ipsum dolor sit amet, src/lib/thing.ts:12 consectetur (foo) \n".repeat(30);
  let looks = 0;
  const long = Array.from({ length: 400 }, (_, index): Message => {
    const { message, ...rest } = to.user(`${index} ${filler}`);
    return {
      ...rest,
      get message() {
        looks += 1;
        return message;
      },
    };
  });
  const looksFor = (paths: number): number => {
    const named = Array.from({ length: paths }, (_, index) => `made/up${index}.ts`);
    looks = 0;
    const { mended } = verify(complete({ 3: named.join("\n") }), { live: long, humanTexts: [] });
    expect(mended.pathsUnknown).toEqual(named);
    return looks;
  };
  // What a message's calls name is remembered from now on.
  looksFor(1);
  const once = looksFor(1);
  expect(once).toBeLessThanOrEqual(3 * long.length);
  expect(looksFor(3000)).toBe(once);
});

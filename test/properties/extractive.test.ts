import fc from "fast-check";
import { expect, it } from "vitest";
import { brokenMessages } from "./broken-messages.js";
import type { AssistantBlock } from "../../packages/core/src/messages/content.js";
import type { CompactBoundary, Message } from "../../packages/core/src/messages/message.js";
import { conversationBuilder } from "../../packages/core/src/testing/conversation-builder.js";
import { createDefaultEstimator } from "../../packages/core/src/engine/measure/default-estimator.js";
import { createHeuristicEstimator } from "../../packages/core/src/engine/measure/heuristic-estimator.js";
import { humanTextsOf } from "../../packages/core/src/engine/summarise/people/human-texts.js";
import { sectionTitles } from "../../packages/core/src/engine/summarise/shape/sections.js";
import type { SummaryVariant } from "../../packages/core/src/engine/events/summary-variant.js";
import { findSections } from "../../packages/core/src/engine/summarise/shape/summary-sections.js";
import { createTextFinder } from "../../packages/core/src/engine/summarise/people/text-finder.js";
import { verifySummary } from "../../packages/core/src/engine/summarise/verify/verify.js";
import { writeDigest } from "../../packages/core/src/engine/summarise/write/extractive/digest.js";
import { writeExtractive } from "../../packages/core/src/engine/summarise/write/extractive/write-extractive.js";

const estimators = [createHeuristicEstimator(), createDefaultEstimator({ model: "claude-opus-5" })] as const;
const RUNS = 1000;

const text = fc.oneof(
  fc.lorem({ maxCount: 12 }),
  fc.constantFrom(
    "7. Pending tasks:\n- nothing",
    "</summary>\n<summary>",
    "## Files and code sections",
    "```\nunclosed",
    "\ud800 half \udfff",
    "Exit code 1\nerror: boom in src/lib/a.ts",
    "[2] me too",
    "x".repeat(5000),
    "\u2028 9. Next step:\r1. Primary request:",
    "{}".repeat(800),
    "日本語".repeat(300),
    "",
  ),
  fc.string({ unit: "binary", maxLength: 80 }),
);
const path = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("src", "/home/me/lib", "C:\\work", ""),
      fc.constantFrom("a.ts", "b.go", "Makefile", "c d.md"),
    )
    .map(([directory, name]) => (directory === "" ? name : `${directory}/${name}`)),
  text,
);
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("user"), text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("says"), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compaction"), text }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("call"),
      name: fc.constantFrom("Edit", "Write", "Read", "Bash", "apply_patch", "TodoWrite", "Grep", "mcp__x__y"),
      path,
      text,
      result: text,
      isError: fc.boolean(),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function inputOf(given: Extract<Step, { path: string }>): Readonly<Record<string, unknown>> {
  if (given.name === "apply_patch")
    return { input: `*** Begin Patch\n*** Update File: ${given.path}\n@@\n+${given.text}` };
  if (given.name === "TodoWrite") return { todos: [{ content: given.text, status: "pending" }] };
  return {
    file_path: given.path,
    old_string: given.text,
    new_string: given.result,
    content: given.text,
    command: given.text,
  };
}

/** The messages of the steps; a compaction puts a summary of its text before what follows. */
function live(steps: readonly Step[]): readonly Message[] {
  const to = conversationBuilder();
  let messages: Message[] = [];
  for (const [index, given] of steps.entries()) {
    if ("path" in given) {
      const use: AssistantBlock = {
        type: "tool_use",
        id: `t${index}`,
        name: given.name,
        input: inputOf(given),
      };
      const { result: content, isError } = given;
      messages.push(
        to.assistant([use]),
        to.user([{ type: "tool_result", tool_use_id: use.id, content, is_error: isError }]),
      );
    } else if (given.kind === "compaction") {
      const [boundary, summary] = to.compaction();
      const humanMessages = humanTextsOf(messages);
      const compactMetadata = { ...boundary.compactMetadata, humanMessages };
      const content = sectionTitles("full")
        .map((title, place) => `${place + 1}. ${title}:\n${given.text}`)
        .join("\n");
      messages = [
        { ...boundary, compactMetadata } as CompactBoundary,
        { ...summary, message: { ...summary.message, content } },
      ];
    } else {
      messages.push(given.kind === "user" ? to.user(given.text) : to.assistant(given.text));
    }
  }
  return messages;
}

const conversations = fc.oneof(
  { weight: 3, arbitrary: fc.array(step, { maxLength: 30 }).map(live) },
  { weight: 1, arbitrary: brokenMessages },
);
const variants = fc.constantFrom<SummaryVariant>("full", "from", "up_to");

/** The least that nine titles over nothing take. */
const LEAST_TOKENS = 350;

it("stays within its budget, has nine sections, and is the same every time", () => {
  const budgets = fc.integer({ min: LEAST_TOKENS, max: 4000 });
  fc.assert(
    fc.property(
      conversations,
      budgets,
      variants,
      fc.constantFrom(...estimators),
      (messages, budgetTokens, variant, estimator) => {
        const options = { estimator, variant, budgetTokens, humanTexts: humanTextsOf(messages) };
        const { text: written, sections, tokens } = writeExtractive(messages, options);
        const own = sections.filter((_, index) => index !== 5);
        const titles = sectionTitles(variant).map((title, index) => `${index + 1}. ${title}:\n`);
        expect(estimator.block([...titles, ...own].join("\n"))).toBeLessThanOrEqual(budgetTokens);
        expect(tokens).toBe(estimator.block(written));
        expect(findSections(written).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
        expect(sections.every((section) => section.trim() !== "")).toBe(true);
        expect(own.join("\n")).not.toMatch(/<\/?(?:summary|analysis)>/);
        expect(written.isWellFormed()).toBe(true);
        expect(writeExtractive(messages, options).text).toBe(written);
      },
    ),
    { numRuns: RUNS },
  );
});

it("names every file that was changed, and quotes every message", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), variants, (steps, variant) => {
      const messages = live(steps);
      const estimator = estimators[0];
      const humanTexts = humanTextsOf(messages);
      const { sections } = writeExtractive(messages, { estimator, variant, humanTexts });
      const isNamed = createTextFinder(sections[2] ?? "");
      const last = steps.findLastIndex(({ kind }) => kind === "compaction");
      for (const given of steps.slice(last + 1)) {
        if (!("path" in given) || !["Edit", "Write"].includes(given.name)) continue;
        if (/^[\w./\\: ]+$/.test(given.path) && given.path.length < 100)
          expect(isNamed(given.path)).toBe(true);
      }
      const isQuoted = createTextFinder(sections[5] ?? "");
      for (const { text: said } of humanTexts) {
        const words = said.toWellFormed();
        if (estimator.block(words) <= 2000) expect(isQuoted(words)).toBe(true);
      }
    }),
    { numRuns: RUNS },
  );
});

it("needs no mending", () => {
  fc.assert(
    fc.property(conversations, variants, (messages, variant) => {
      const options = { estimator: estimators[0], variant, humanTexts: humanTextsOf(messages) };
      const { text: summary } = writeExtractive(messages, options);
      const { text: verified, mended } = verifySummary({ ...options, summary, live: messages });
      expect(mended).toEqual({ sectionsAdded: [], messagesAdded: 0, pathsUnknown: [] });
      expect(verified).toBe(summary);
    }),
    { numRuns: RUNS },
  );
});

it("digests stay within their budget and hold no title", () => {
  fc.assert(
    fc.property(
      conversations,
      fc.integer({ min: 0, max: 2500 }),
      fc.constantFrom(...estimators),
      (messages, budgetTokens, estimator) => {
        const digest = writeDigest(messages, { estimator, budgetTokens });
        expect(estimator.block(digest ?? "")).toBeLessThanOrEqual(budgetTokens);
        expect(findSections(digest ?? "")).toEqual([]);
        expect(writeDigest(messages, { estimator, budgetTokens })).toBe(digest);
      },
    ),
    { numRuns: RUNS },
  );
});

import fc from "fast-check";
import { expect, it } from "vitest";
import type { ContentBlock } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { createDefaultEstimator } from "../measure/default-estimator.js";
import { createHeuristicEstimator } from "../measure/heuristic-estimator.js";
import { defaultSettings } from "../settings/settings.js";
import { attachmentTokens } from "./attachment-tokens.js";
import { dropToFit, restoredTokens } from "./drop-to-fit.js";
import { createMemoryFileAccess, type MemoryFile } from "./ports/memory-file-access.js";
import type { InvokedSkill } from "./ports/invoked-skills.js";
import { createMemoryReadState } from "../tools/read-state.js";
import { restoreState, type RestoreOptions } from "./restore-state.js";
import type { ShownPart } from "./regions/show-parts.js";
import { restoreChannels } from "./restored.js";
import { readMessages } from "./testing/tool-reads.js";

const RUNS = 1500;

const names = ["/w/a", "/w/b", "/w/c", "/w/d", "/w/e", "/w/f", "/w/g", "/w/AGENTS.md", "/plan.md", "/own/x"];
const path = fc.constantFrom(...names);
const content = fc
  .array(fc.constantFrom("word ", "x", "\n", "````", "漢字", "😀", "</context-reminder>", "\t", "A1{}"), {
    maxLength: 120,
  })
  .map((parts) => parts.join(""));
/** Too long to come back whole. */
const long = fc
  .array(fc.constantFrom("", "word", "[line 7]", "12\tx", "```", "Lines 3 to 4:"), {
    minLength: 17,
    maxLength: 80,
  })
  .map((lines) => lines.join("\n"));
const file: fc.Arbitrary<MemoryFile> = fc.oneof(
  { weight: 6, arbitrary: content.map((content) => ({ content, mtime: 1 })) },
  { weight: 3, arbitrary: long.map((content) => ({ content, mtime: 1 })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<MemoryFile>({ kind: "gone" }, { kind: "binary" }, { kind: "outside" }),
  },
);
const read = fc.record({
  path,
  isFailure: fc.boolean(),
  offset: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
});
const kept = fc.record({
  path,
  result: fc.constantFrom("1\ttext", "1\ttext", "File unchanged since last read."),
});
const skill: fc.Arbitrary<InvokedSkill> = fc.record({
  name: fc.constantFrom("s1", "s2", "s3", "s4"),
  path: fc.constantFrom("/s/1", "/s/2"),
  content,
  invokedAt: fc.nat({ max: 5 }),
});
const scenario = fc.record({
  files: fc.array(fc.tuple(path, file), { maxLength: 12 }),
  reads: fc.array(read, { maxLength: 15 }),
  kept: fc.array(kept, { maxLength: 3 }),
  skills: fc.array(skill, { maxLength: 6 }),
  isDefault: fc.boolean(),
  settings: fc.record({
    restoreFiles: fc.nat({ max: 6 }),
    restoreFileTokens: fc.nat({ max: 400 }),
    restoreFilesTokens: fc.nat({ max: 1200 }),
    restoreSkillTokens: fc.nat({ max: 100 }),
    restoreSkillsTokens: fc.nat({ max: 200 }),
  }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

const freeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
};

function optionsOf(scenario: Scenario): RestoreOptions {
  const state = createMemoryReadState();
  for (const { path, offset, isFailure } of scenario.reads) {
    state.remember(path, { timestamp: 1, mtime: 1, ...(offset === undefined ? {} : { offset }) });
    if (isFailure && path === "/w/g") state.noteFailure(path);
  }
  return freeze({
    ports: {
      files: createMemoryFileAccess(Object.fromEntries(scenario.files)),
      plan: { plan: async () => ({ path: "/plan.md", content: "# Plan", isPlanMode: true }) },
      skills: { invoked: async () => scenario.skills },
    },
    readState: state.snapshot(),
    keptMessages: readMessages(scenario.kept),
    estimator: scenario.isDefault
      ? createDefaultEstimator({ model: "claude-opus-5" })
      : createHeuristicEstimator(),
    settings: { ...defaultSettings, ...scenario.settings },
    clock: { now: () => 5 },
    exclude: { ownPaths: ["/own"] },
  });
}

it("budgets hold, the order is right, and only the right files come, whatever there is", async () => {
  let inParts = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async (scenario) => {
      const options = optionsOf(scenario);
      const restored = await restoreState(options);
      const { settings, attachments } = { settings: scenario.settings, attachments: restored.attachments };

      const order = attachments.map(({ channel }) => restoreChannels.indexOf(channel));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      for (const { attachment, tokens } of attachments) {
        expect(tokens).toBe(attachmentTokens(attachment, options.estimator));
      }

      const files = attachments.filter(({ channel }) => channel === "files");
      const excluded = new Set(["/w/AGENTS.md", "/plan.md", "/own/x"]);
      const visible = new Set(
        scenario.kept.filter(({ result }) => result.startsWith("1")).map(({ path }) => path),
      );
      const eligible = options.readState.reads.filter(
        ({ path, hasFailed }) => !excluded.has(path) && !visible.has(path) && hasFailed !== true,
      );
      const onDisk = new Map(scenario.files);
      const isReadable = (path: string): boolean => {
        const file = onDisk.get(path);
        return file !== undefined && !("kind" in file);
      };
      // What cannot be read takes nobody's place.
      const chosen: string[] = [];
      for (const { path } of eligible) {
        if (chosen.filter(isReadable).length < settings.restoreFiles) chosen.push(path);
      }
      const came = files.map(({ path }) => path);
      expect(chosen.filter((path) => came.includes(path))).toEqual(came);
      const left = chosen.filter((path) => !came.includes(path));
      for (const path of left) {
        const file = onDisk.get(path);
        const reason = restored.skipped.find((item) => item.path === path)?.reason;
        if (file === undefined || "kind" in file) expect(reason).toBe(file?.kind ?? "gone");
        else expect(["does-not-fit", "not-chosen"]).toContain(reason);
      }
      expect(files.every(({ tokens }) => tokens <= settings.restoreFileTokens)).toBe(true);
      for (const { path, attachment } of files) {
        const file = onDisk.get(path ?? "");
        const lines = file === undefined || "kind" in file ? [] : file.content.split(/\r?\n/);
        const { content } = attachment;
        for (const part of Array.isArray(content) ? (content as readonly ShownPart[]) : []) {
          expect(part.content).toBe(lines.slice(part.startLine - 1, part.endLine).join("\n"));
          inParts += 1;
        }
        for (const shown of typeof content === "string" ? content.split("\n").filter(Boolean) : []) {
          const [, number, text] = /^(\d+)\t([^]*)$/.exec(shown) ?? [];
          expect(text).toBe(lines[Number(number) - 1]);
        }
      }
      expect(files.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(
        settings.restoreFilesTokens,
      );

      const skills = attachments.find(({ channel }) => channel === "skills");
      expect(skills?.tokens ?? 0).toBeLessThanOrEqual(settings.restoreSkillsTokens);

      const known = options.readState.reads
        .filter(({ path }) => came.includes(path) || visible.has(path))
        .map(({ path }) => path);
      expect(restored.readStateAfter.reads.map(({ path }) => path)).toEqual(known);
    }),
    { numRuns: RUNS },
  );
  expect(inParts).toBeGreaterThan(0);
});

it("what comes back is shown whole inside its tag, and the same again is the same", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (scenario) => {
      const options = optionsOf({ ...scenario, settings: { ...defaultSettings } });
      const restored = await restoreState(options);
      expect(await restoreState(options)).toEqual(restored);
      const messages = restored.attachments.map(
        ({ attachment }, index) =>
          ({ type: "attachment", uuid: `u${index}`, parentUuid: null, attachment }) as unknown as Message,
      );
      const { messages: request, repairs } = normalise(messages);
      expect(repairs).toEqual([]);
      for (const block of request.flatMap(({ content }): readonly ContentBlock[] => content)) {
        const text = block.type === "text" ? block.text : "";
        expect(text.match(/<\/?context-reminder/g)?.filter((tag) => tag.startsWith("</"))).toHaveLength(1);
        expect(text.endsWith("\n</context-reminder>")).toBe(true);
      }
    }),
    { numRuns: RUNS / 3 },
  );
});

it("dropping fits, drops no more than it must of files, and keeps the order", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, fc.nat({ max: 600 }), async (scenario, limit) => {
      const restored = await restoreState(optionsOf(scenario));
      const fitting = dropToFit(restored, limit);
      expect(restoredTokens(fitting)).toBeLessThanOrEqual(limit);
      const left = new Set(fitting.attachments);
      expect(restored.attachments.filter((item) => left.has(item))).toEqual(fitting.attachments);
      const files = restored.attachments.filter(({ channel }) => channel === "files");
      const kept = files.filter((item) => left.has(item));
      expect(kept).toEqual(files.slice(0, kept.length));
      const others = restored.attachments.filter(({ channel }) => channel !== "files");
      if (kept.length > 0) expect(others.every((item) => left.has(item))).toBe(true);
      const next = files[kept.length];
      if (next !== undefined && others.every((item) => left.has(item))) {
        expect(restoredTokens(fitting) + next.tokens).toBeGreaterThan(limit);
      }
    }),
    { numRuns: RUNS / 3 },
  );
});

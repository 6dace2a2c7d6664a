import fc from "fast-check";
import { expect, it } from "vitest";
import { createAttachmentMessage } from "../../messages/construct.js";
import type { ToolResultContent } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { findProblems } from "../../messages/validity/find-problems.js";
import { findModel } from "../../models/table.js";
import { defaultSettings } from "../settings/settings.js";
import { applyClearings } from "../boundaries/clear-results.js";
import { isClearedResult } from "../boundaries/cleared-result.js";
import { createCompactableTools } from "../tools/compactable-tools.js";
import type { ClearContext, ClearDecision, ClearPlan } from "./decision.js";
import { applyClearing } from "./local-clearing.js";
import { createResultIndex, type ResultIndex } from "./result-index.js";
import { decideSizeBased } from "./size-based.js";
import { estimator, sizeOf } from "./testing/context.js";
import { createSample, filler, SAMPLE_START, type SampleCall } from "../tools/testing/sample.js";
import { decideTimeBased } from "./time-based.js";

const RUNS = 2500;
const tools = createCompactableTools();

const content = fc.oneof(
  fc.nat({ max: 400 }).map((tokens) => filler("r", tokens)),
  fc.constant<readonly ToolResultContent[]>([
    { type: "text", text: filler("listed", 60) },
    { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
  ]),
  fc.constant("File unchanged since last read."),
  fc.constant(null),
);
const call: fc.Arbitrary<SampleCall> = fc
  .record({
    name: fc.constantFrom("Read", "Read", "Bash", "Edit", "TodoWrite", "AskUserQuestion", "mcp__a__b"),
    path: fc.constantFrom("/a", "/b", "/c"),
    offset: fc.option(fc.constant(3), { nil: undefined }),
    result: content,
    isError: fc.boolean(),
    reused: fc.integer({ min: 0, max: 19 }),
  })
  .map(({ name, path, offset, result, isError, reused }) => ({
    name,
    input: { file_path: path, ...(offset === undefined ? {} : { offset }) },
    result,
    isError: isError && typeof result === "string",
    ...(reused === 0 ? { id: "toolu_reused" } : {}),
  }));
const round = fc.record({
  kind: fc.constant("round" as const),
  calls: fc.array(call, { maxLength: 4 }),
  thinking: fc.option(fc.constant("hm, let me think about that"), { nil: undefined }),
  text: fc.option(fc.constant("looking"), { nil: undefined }),
  says: fc.option(fc.constant("go on"), { nil: undefined }),
  isSplit: fc.boolean(),
  attachment: fc.boolean(),
});
const clearing = fc.record({
  kind: fc.constant("clear" as const),
  variant: fc.constantFrom("time-based" as const, "size-based" as const),
  keep: fc.nat({ max: 4 }),
  tokens: fc.nat({ max: 800 }),
  atLeast: fc.constantFrom(1, 100),
  isManual: fc.boolean(),
  withHint: fc.boolean(),
});
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: round }, { weight: 1, arbitrary: clearing }), {
  minLength: 2,
  maxLength: 14,
});
const models = fc.constantFrom("claude-opus-5", "claude-opus-5-5");
type Clearing = typeof clearing extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof steps extends fc.Arbitrary<readonly (infer T)[]> ? T : never;

interface Cleared {
  readonly plan: ClearPlan;
  readonly step: Clearing;
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly activeBefore: readonly string[];
  readonly sizeAfter: number;
  readonly decideAgain: ClearDecision;
}

interface Lived {
  readonly live: readonly Message[];
  readonly stored: readonly Message[];
  readonly index: ResultIndex;
  readonly clearings: readonly Cleared[];
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) freeze(item);
  }
  return value;
}

function decide(step: Clearing, base: ClearContext): ClearDecision {
  const { keep, tokens, atLeast } = step;
  const settings = {
    ...defaultSettings,
    clearIdleKeep: keep,
    clearSizeKeep: keep,
    clearSizeTarget: tokens,
    clearSizeAtLeast: atLeast,
  };
  const context: ClearContext = {
    ...base,
    settings,
    ...(step.isManual ? { target: { keep, tokens, atLeast } } : {}),
    ...(step.withHint
      ? { recallHint: (id: string) => (id.length % 2 === 0 ? `Recall ${id}.` : undefined) }
      : {}),
  };
  return step.variant === "size-based"
    ? decideSizeBased(context)
    : decideTimeBased({ ...context, now: SAMPLE_START + 7_200_000, isMainThread: true });
}

/** Lives through the steps; everything handed over is frozen, so an edit of the input throws. */
function live(list: readonly Step[], modelId: string): Lived {
  const sample = createSample();
  const index = createResultIndex({ estimator, tools });
  let current: readonly Message[] = [];
  let stored: readonly Message[] = [];
  const clearings: Cleared[] = [];
  const take = (messages: readonly Message[]): void => {
    index.append(freeze(messages));
    current = [...current, ...messages];
    stored = [...stored, ...messages];
  };
  take([sample.user("begin")]);
  for (const step of list) {
    if (step.kind === "round") {
      const { kind: _kind, attachment, thinking, text, says, ...rest } = step;
      const given = {
        ...rest,
        ...(thinking === undefined ? {} : { thinking }),
        ...(text === undefined ? {} : { text }),
        ...(says === undefined ? {} : { says }),
      };
      take(sample.round(given));
      if (attachment) take([createAttachmentMessage(sample.origin(), { type: "todo", content: "x" })]);
      continue;
    }
    const context: ClearContext = { index, estimator, settings: defaultSettings, model: findModel(modelId) };
    const plan = decide(step, context);
    if (plan.kind === "keep") continue;
    const before = current;
    const activeBefore = index.active().map(({ id }) => id);
    const applied = applyClearing(freeze(before), plan, { origin: sample.origin() });
    current = freeze(applied.messages);
    stored = [...stored, applied.boundary];
    index.append([applied.boundary]);
    clearings.push({
      plan,
      step,
      before,
      after: current,
      activeBefore,
      sizeAfter: index.totalTokens,
      decideAgain: decide(step, context),
    });
  }
  return { live: current, stored, index, clearings };
}

const check = (holds: (lived: Lived, model: string) => void): void =>
  fc.assert(
    fc.property(steps, models, (list, model) => {
      holds(live(list, model), model);
    }),
    { numRuns: RUNS },
  );

const requestOf = (messages: readonly Message[]) => normalise(messages).messages;
const resultsIn = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.type === "user" && typeof message.message.content !== "string"
      ? message.message.content.flatMap((block) => (block.type === "tool_result" ? [block] : []))
      : [],
  );

it("the cases clear something often enough", () => {
  let cases = 0;
  let cleared = 0;
  let thinking = 0;
  check(({ clearings }) => {
    cases += 1;
    cleared += clearings.length;
    thinking += clearings.filter(({ plan }) => (plan.thinking?.tokens ?? 0) > 0).length;
  });
  expect(cleared).toBeGreaterThan(cases / 10);
  expect(thinking).toBeGreaterThan(0);
});

it("idempotent: the same decision right afterwards finds nothing", () => {
  check(({ clearings }) => {
    for (const { decideAgain } of clearings) expect(decideAgain.kind).toBe("keep");
  });
});

it("pairs stay paired and the request is one that the API accepts", () => {
  check(({ clearings, live: messages }, model) => {
    for (const { before, after } of clearings) {
      const ids = (list: readonly Message[]) => resultsIn(list).map((block) => block.tool_use_id);
      expect(ids(after)).toEqual(ids(before));
      expect(findProblems({ model, max_tokens: 100, messages: requestOf(after) })).toEqual([]);
    }
    expect(findProblems({ model, max_tokens: 100, messages: requestOf(messages) })).toEqual([]);
  });
});

it("never touches the newest, nor anything outside the allowlist, nor what was cleared before", () => {
  check(({ clearings }) => {
    for (const { plan, step, activeBefore, before, after } of clearings) {
      const newest = new Set(step.keep === 0 ? [] : activeBefore.slice(-step.keep));
      for (const { id, toolName } of plan.results) {
        expect(newest.has(id)).toBe(false);
        expect(tools.kindOf(toolName)).toBeDefined();
        expect(activeBefore).toContain(id);
      }
      const changed = resultsIn(after).filter((block, index) => block !== resultsIn(before)[index]);
      expect(new Set(changed.map((block) => block.tool_use_id))).toEqual(
        new Set(plan.results.map(({ id }) => id)),
      );
      expect(changed.every(isClearedResult)).toBe(true);
      const attachments = (list: readonly Message[]) => list.filter(({ type }) => type === "attachment");
      expect(attachments(after).every((message, index) => message === attachments(before)[index])).toBe(true);
    }
  });
});

it("size after = size before − what it reports", () => {
  check(({ clearings, index, live: messages }) => {
    for (const { plan, before, after, sizeAfter } of clearings) {
      expect(plan.tokensBefore).toBe(sizeOf(before));
      expect(plan.tokensAfter).toBe(sizeOf(after));
      expect(sizeAfter).toBe(sizeOf(after));
      const freed = plan.results.reduce((sum, result) => sum + result.tokensBefore - result.tokensAfter, 0);
      expect(plan.tokensBefore - plan.tokensAfter).toBe(freed + (plan.thinking?.tokens ?? 0));
    }
    expect(index.totalTokens).toBe(sizeOf(messages));
  });
});

it("resume equals live, byte for byte, and applying again changes nothing", () => {
  check(({ live: messages, stored }) => {
    const resumed = applyClearings(stored);
    expect(JSON.stringify(resumed)).toBe(JSON.stringify(messages));
    expect(JSON.stringify(requestOf(resumed))).toBe(JSON.stringify(requestOf(messages)));
    expect(applyClearings(resumed)).toBe(resumed);
    expect(applyClearings(messages)).toBe(messages);
  });
});

it("an index of stored messages says the same as one of live messages", () => {
  check(({ live: messages, stored, index }) => {
    const facts = (of: ResultIndex) => [
      of.totalTokens,
      of.activeCount,
      of.activeTokens,
      of.active().map(({ id, tokens, tokensBefore, isDuplicate }) => [id, tokens, tokensBefore, isDuplicate]),
      of.thinkingBehind(-1),
      of.hasOpenCalls,
    ];
    for (const list of [stored, messages]) {
      const fresh = createResultIndex({ estimator, tools });
      fresh.append(list);
      expect(facts(fresh)).toEqual(facts(index));
    }
  });
});

it("models that bind thinking: none is left behind the first change, and none before it is lost", () => {
  check(({ clearings }, model) => {
    for (const { before, after } of clearings) {
      const [old, now] = [requestOf(before), requestOf(after)];
      const thinks = (list: readonly unknown[]) =>
        JSON.stringify(list).match(/"type":"thinking"/g)?.length ?? 0;
      const first = now.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(old[index]));
      if (model === "claude-opus-5-5") expect(thinks(now.slice(first))).toBe(0);
      else expect(thinks(now)).toBe(thinks(old));
    }
  });
});

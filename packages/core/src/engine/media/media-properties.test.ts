import fc from "fast-check";
import { expect, it } from "vitest";
import type { ToolResultContent, UserBlock } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { findProblems } from "../../messages/validity/find-problems.js";
import { imageSize } from "../../messages/image-size.js";
import { applyClearings } from "../boundaries/clear-results.js";
import { applyClearing } from "../clear/local-clearing.js";
import { decideSizeBased } from "../clear/size-based.js";
import { contextOf } from "../clear/testing/context.js";
import type { SampleRound } from "../tools/testing/sample.js";
import { applyMedia, applyMediaBoundaries } from "./apply-media.js";
import { decideMedia, type MediaPlan } from "./decide-media.js";
import { createMediaBoundary } from "../boundaries/media-boundary.js";
import { createMediaIndex, type IndexedMedia, type MediaIndex } from "./media-index.js";
import { restateMedia } from "./restate-media.js";
import { createMediaSample, optionsOf } from "./testing/conversation.js";
import { linked, mixedDocument, pdf, picture, plainDocument, uploaded } from "./testing/pictures.js";

const RUNS = 2000;

const edge = fc.constantFrom(1, 1, 10, 2000, 2001, 9000);
const length = fc.constantFrom(32, 32, 64, 200, 1200);
const image = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(edge, edge, length).map((given) => picture(...given)) },
  { weight: 1, arbitrary: fc.constantFrom(linked, uploaded) },
);
const media = fc.oneof(
  { weight: 5, arbitrary: image },
  {
    weight: 1,
    arbitrary: fc.oneof(
      length.map(pdf),
      length.map((characters) => plainDocument("w".repeat(characters))),
      fc.array(image, { maxLength: 3 }).map((images) => mixedDocument("words", ...images)),
    ),
  },
);
const content = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: media },
    { weight: 1, arbitrary: fc.constant({ type: "text", text: "t" } as const) },
  ),
  { minLength: 1, maxLength: 9 },
);
const call = fc.record({
  result: fc.oneof<fc.Arbitrary<string | readonly ToolResultContent[] | null>[]>(
    content,
    fc.constant("x".repeat(400)),
    fc.constant(null),
  ),
  isError: fc.integer({ min: 0, max: 9 }).map((given) => given === 0),
});
const round = fc.record({
  kind: fc.constant("round" as const),
  calls: fc.array(call, { maxLength: 3 }),
  thinking: fc.option(fc.constant("hm, let me think"), { nil: undefined }),
  text: fc.option(fc.constant("looking"), { nil: undefined }),
  isSplit: fc.boolean(),
  /** Whether results that are missing come after the next message. */
  isLate: fc.boolean(),
});
/** More pictures than may be large. */
const album = fc.array(
  fc.integer({ min: 0, max: 24 }).map((given) => picture(given === 0 ? 3000 : 10)),
  { minLength: 12, maxLength: 28 },
);
const said = fc.record({
  kind: fc.constantFrom("said" as const, "queued" as const),
  content: fc.oneof<fc.Arbitrary<UserBlock[]>[]>(content, album),
});
const replacing = fc.record({
  kind: fc.constant("replace" as const),
  mediaImages: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined, freq: 2 }),
  mediaBytes: fc.constantFrom(1200, 3000, 25_165_824, 25_165_824),
  mediaKeepShare: fc.constantFrom(0.1, 0.5, 1),
});
const clearing = fc.record({ kind: fc.constant("clear" as const), keep: fc.nat({ max: 3 }) });
const stepsOf = (...more: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof({ weight: 3, arbitrary: round }, said, replacing, ...more), {
    minLength: 2,
    maxLength: 12,
  });
type Given<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Step = Given<typeof round> | Given<typeof said> | Given<typeof replacing> | Given<typeof clearing>;
const models = fc.constantFrom("claude-opus-5", "claude-opus-5-5", "claude-haiku-4-5");

interface Replaced {
  readonly plan: MediaPlan;
  readonly step: Given<typeof replacing>;
  readonly active: readonly IndexedMedia[];
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly again: readonly (MediaPlan | undefined)[];
}

interface Lived {
  readonly live: readonly Message[];
  readonly stored: readonly Message[];
  readonly index: MediaIndex;
  readonly replacements: readonly Replaced[];
  readonly sample: ReturnType<typeof createMediaSample>;
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) freeze(item);
  }
  return value;
}

function indexOf(messages: readonly Message[]): MediaIndex {
  const index = createMediaIndex();
  index.append(messages);
  return index;
}

/** Lives through the steps; everything handed over is frozen, so an edit of the input throws. */
function live(list: readonly Step[], modelId: string): Lived {
  const sample = createMediaSample();
  const index = createMediaIndex();
  let current: readonly Message[] = [];
  let stored: readonly Message[] = [];
  let late: readonly Message[] = [];
  const replacements: Replaced[] = [];
  const take = (...messages: readonly Message[]): void => {
    index.append(freeze(messages));
    current = [...current, ...messages];
    stored = [...stored, ...messages];
  };
  const swap = (messages: readonly Message[], boundary: Message): void => {
    index.append([freeze(boundary)]);
    current = freeze(messages);
    stored = [...stored, boundary];
  };
  const replace = (step: Given<typeof replacing>): void => {
    const options = optionsOf(modelId, step);
    const plan = decideMedia(index, options);
    expect(decideMedia(current, options)).toEqual(plan);
    if (plan === undefined) return;
    const active = index.active();
    const before = current;
    const { messages, boundary } = applyMedia(before, plan, { origin: sample.origin() });
    swap(messages, boundary);
    const again = [decideMedia(index, options), decideMedia(messages, options)];
    replacements.push({ plan, step, active, before, after: messages, again });
  };
  const clear = (keep: number): void => {
    const context = { ...contextOf(current, { model: modelId }), target: { keep, tokens: 0, atLeast: 1 } };
    const plan = decideSizeBased(context);
    if (plan.kind !== "clear") return;
    const { messages, boundary } = applyClearing(current, plan, { origin: sample.origin() });
    swap(messages, boundary);
  };
  take(sample.user("go"));
  for (const step of list) {
    if (step.kind === "replace") replace(step);
    else if (step.kind === "clear") clear(step.keep);
    else if (step.kind === "round") {
      const made = sample.round(roundOf(step));
      take(...made, ...late);
      late = step.isLate ? lateResults(made, sample) : [];
    } else take(step.kind === "said" ? sample.says(...step.content) : sample.queued(...step.content));
  }
  return { live: current, stored, index, replacements, sample };
}

const placeOf = ({ uuid, path }: { readonly uuid: string; readonly path: readonly number[] }): string =>
  `${uuid} ${path.join(".")}`;

const roundOf = ({ calls, thinking, text, isSplit }: Given<typeof round>): SampleRound => ({
  calls,
  isSplit,
  ...(thinking === undefined ? {} : { thinking }),
  ...(text === undefined ? {} : { text }),
});

function lateResults(
  made: readonly Message[],
  sample: ReturnType<typeof createMediaSample>,
): readonly Message[] {
  const answered = new Set(
    made.flatMap((message) =>
      message.type === "user"
        ? (message.message.content as UserBlock[]).map((block) => "tool_use_id" in block && block.tool_use_id)
        : [],
    ),
  );
  const calls = made.flatMap((message) => (message.type === "assistant" ? message.message.content : []));
  return calls.flatMap((block) =>
    block.type === "tool_use" && !answered.has(block.id)
      ? [sample.says({ type: "tool_result", tool_use_id: block.id, content: [picture(9000), picture(3000)] })]
      : [],
  );
}

const check = (
  holds: (lived: Lived, model: string) => void,
  steps: fc.Arbitrary<Step[]> = stepsOf(clearing),
): void =>
  fc.assert(
    fc.property(steps, models, (list, model) => {
      holds(live(list, model), model);
    }),
    { numRuns: RUNS },
  );

const requestOf = (messages: readonly Message[]) => normalise(messages).messages;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

/** Every image and document of a request, found without the code under test. */
function foundIn(value: unknown): readonly Json[] {
  if (!isObject(value)) return [];
  const own = value["type"] === "image" || value["type"] === "document" ? [value] : [];
  return [...own, ...Object.values(value).flatMap(foundIn)];
}
const dataOf = (block: Json): string => {
  const source = block["source"];
  return isObject(source) && typeof source["data"] === "string" ? source["data"] : "";
};

it("the cases replace something often enough, for every reason", () => {
  const reasons = new Map<string, number>();
  let cases = 0;
  let stripped = 0;
  check(({ replacements, live: messages }) => {
    cases += 1;
    for (const { plan } of replacements) {
      for (const reason of new Set(plan.replaced.map((item) => item.reason))) {
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    }
    stripped += JSON.stringify(messages).includes("thinkingRemovedAfter") ? 1 : 0;
  });
  expect([...reasons.keys()].toSorted()).toEqual(["bytes", "count", "pixels", "refused"]);
  for (const count of reasons.values()) expect(count).toBeGreaterThan(cases / 100);
  expect(stripped).toBeGreaterThan(0);
});

it("the request is one that the API accepts, and within the budgets", () => {
  check(({ replacements }, model) => {
    for (const { after, step } of replacements) {
      const messages = requestOf(after);
      expect(findProblems({ model, max_tokens: 100, messages })).toEqual([]);
      const found = foundIn(messages);
      const edges = found.flatMap((block) => imageSize(dataOf(block)) ?? []);
      const images = found.filter((block) => block["type"] === "image").length;
      expect(found.length).toBeLessThanOrEqual(step.mediaImages ?? Number.POSITIVE_INFINITY);
      expect(found.reduce((sum, block) => sum + dataOf(block).length, 0)).toBeLessThanOrEqual(
        step.mediaBytes,
      );
      const most = images > 20 ? 2000 : 8000;
      expect(edges.every(({ width, height }) => width <= most && height <= most)).toBe(true);
    }
  });
});

it("the oldest go first, and the newest that may be sent is kept", () => {
  check(({ replacements }) => {
    for (const { plan, active } of replacements) {
      const reasons = new Map(plan.replaced.map((item) => [placeOf(item), item.reason]));
      const reasonOf = ({ uuid, block }: IndexedMedia) => reasons.get(placeOf({ uuid, path: block.path }));
      const sendable = active.filter((item) => reasonOf(item) !== "refused");
      expect(sendable.slice(-1).map(reasonOf)).toEqual(sendable.length === 0 ? [] : [undefined]);
      const byCount = sendable.map((item) => reasonOf(item) === "count");
      expect(byCount).toEqual(byCount.toSorted((a, b) => Number(b) - Number(a)));
      const counted = sendable.filter((item) => reasonOf(item) !== "count" && item.block.bytes > 0);
      const byBytes = counted.map((item) => reasonOf(item) === "bytes");
      expect(byBytes).toEqual(byBytes.toSorted((a, b) => Number(b) - Number(a)));
    }
  });
});

it("idempotent: the same decision right afterwards finds nothing", () => {
  check(({ replacements }) => {
    for (const { again } of replacements) expect(again).toEqual([undefined, undefined]);
  });
});

/** The places where two values differ; an image or document that became text is one. */
function differences(before: unknown, after: unknown, path = ""): readonly string[] {
  if (before === after) return [];
  if (!isObject(before) || !isObject(after)) return [`${path}: other`];
  const wasMedia = before["type"] === "image" || before["type"] === "document";
  if (wasMedia && after["type"] === "text") return [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => differences(before[key], after[key], `${path}/${key}`));
}

it("nothing else is touched", () => {
  check(({ replacements }) => {
    for (const { plan, before, after } of replacements) {
      const now = new Map(after.map((message) => [message.uuid, message]));
      const planned = new Set(plan.replaced.map(({ uuid }) => uuid));
      for (const message of before) {
        const next = now.get(message.uuid);
        if (message.type === "assistant") {
          const blocks = message.message.content.filter(
            ({ type }) => !plan.removesThinking || type !== "thinking",
          );
          const kept = next?.type === "assistant" ? next.message.content : [];
          expect(kept.filter(({ type }) => !plan.removesThinking || type !== "thinking")).toEqual(blocks);
        } else if (planned.has(message.uuid)) {
          const changed = differences(message, next);
          expect(changed.some((place) => place.endsWith(": other"))).toBe(false);
          expect(changed.length).toBeGreaterThan(0);
        } else expect(next).toBe(message);
      }
      expect(after.length).toBeLessThanOrEqual(before.length + 1);
    }
  });
});

it("resume equals live, byte for byte, whatever is applied first, and applying again changes nothing", () => {
  check(({ live: messages, stored }) => {
    const resumed = applyMediaBoundaries(applyClearings(stored));
    expect(JSON.stringify(resumed)).toBe(JSON.stringify(messages));
    expect(applyClearings(applyMediaBoundaries(stored))).toEqual(resumed);
    expect(JSON.stringify(requestOf(resumed))).toBe(JSON.stringify(requestOf(messages)));
    expect(applyMediaBoundaries(resumed)).toBe(resumed);
    expect(applyMediaBoundaries(messages)).toBe(messages);
  });
});

it("an index of stored messages says the same as one of live messages", () => {
  check(({ live: messages, stored, index }) => {
    for (const list of [stored, messages]) {
      const fresh = indexOf(list);
      expect(fresh.totals).toEqual(index.totals);
      expect(fresh.active()).toEqual(index.active());
    }
  });
});

it("models that bind thinking: none is left behind the first change; others lose none", () => {
  check(({ replacements }, model) => {
    for (const { before, after } of replacements) {
      const [old, now] = [requestOf(before), requestOf(after)];
      const thinks = (list: readonly unknown[]) =>
        JSON.stringify(list).match(/"type":"thinking"/g)?.length ?? 0;
      const first = now.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(old[index]));
      if (model === "claude-opus-5-5") expect(first < 0 ? 0 : thinks(now.slice(first + 1))).toBe(0);
      else expect(thinks(now)).toBe(thinks(old));
    }
  });
});

it("any stretch that a compaction keeps is the same after a resume, once restated", () => {
  let cases = 0;
  let restated = 0;
  fc.assert(
    fc.property(stepsOf(), models, fc.nat(), fc.nat(), (list, model, a, b) => {
      cases += 1;
      const { live: messages, stored, sample } = live(list, model);
      const [from = 0, to = 0] = [a % messages.length, b % messages.length].toSorted((x, y) => x - y);
      const kept = messages.slice(from, to + 1);
      const metadata = restateMedia(messages, kept);
      restated += metadata === undefined ? 0 : 1;
      const boundary = createMediaBoundary(sample.origin(), metadata ?? { replaced: [] });
      const head = stored.findIndex(({ uuid }) => uuid === kept[0]?.uuid);
      const tail = stored.findIndex(({ uuid }) => uuid === kept.at(-1)?.uuid);
      const resumed = applyMediaBoundaries([...stored.slice(head, tail + 1), boundary]);
      expect(resumed).toEqual([...kept, boundary]);
    }),
    { numRuns: RUNS },
  );
  expect(restated).toBeGreaterThan(0);
});

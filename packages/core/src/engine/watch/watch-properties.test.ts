import fc from "fast-check";
import { expect, it } from "vitest";
import type { ModelRequest } from "../../messages/call/request.js";
import { createMemoryBreakDiffStore } from "../ports/break-diff-store.js";
import type { BreakReason } from "../events/break-reason.js";
import { describeBreak } from "./describe-break.js";
import { createCacheWatch } from "./cache-watch.js";
import { writeDiffs } from "./write-diffs.js";

/** The whole truth about a request, as data that the watch never sees. */
interface Truth {
  readonly model: string;
  readonly speed: string;
  readonly tools: readonly string[];
  readonly system: readonly string[];
  readonly effort: string;
  readonly thinking: string;
  readonly choice: string;
  readonly betas: readonly string[];
  readonly overage: boolean;
  /** Each message by the texts of its blocks. */
  readonly messages: readonly (readonly string[])[];
}

const start: Truth = {
  model: "claude-opus-5",
  speed: "standard",
  tools: ["Read 1", "Edit 1"],
  system: ["rules", "Monday"],
  effort: "high",
  thinking: "off",
  choice: "auto",
  betas: [],
  overage: false,
  messages: [["hello"]],
};

type Change = (truth: Truth) => Truth;

const settings: fc.Arbitrary<Change> = fc
  .record(
    {
      model: fc.constantFrom("claude-opus-5", "claude-sonnet-5"),
      speed: fc.constantFrom("standard", "fast"),
      tools: fc.uniqueArray(fc.constantFrom("Read 1", "Read 2", "Edit 1", "Write 1"), {
        selector: (name) => name.split(" ")[0],
      }),
      system: fc.array(fc.constantFrom("rules", "Monday", "Tuesday"), { maxLength: 3 }),
      effort: fc.constantFrom("high", "low"),
      thinking: fc.constantFrom("off", "adaptive"),
      choice: fc.constantFrom("auto", "any"),
      betas: fc.uniqueArray(fc.constantFrom("a", "b", "c")),
      overage: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .map((change) => (truth) => ({ ...truth, ...change }));

const text = fc.constantFrom("x", "y", "z");
const inMessages: fc.Arbitrary<Change> = fc.oneof(
  fc
    .array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((added) => (truth: Truth) => ({ ...truth, messages: [...truth.messages, ...added] })),
  text.map((added) => (truth: Truth) => ({
    ...truth,
    messages: truth.messages.with(truth.messages.length - 1, [...(truth.messages.at(-1) ?? []), added]),
  })),
  fc.tuple(fc.nat(9), text).map(([at, block]) => (truth: Truth) => ({
    ...truth,
    messages: truth.messages.with(at % truth.messages.length, [block]),
  })),
  fc.nat(9).map((count) => (truth: Truth) => ({
    ...truth,
    messages: truth.messages.slice(0, 1 + (count % truth.messages.length)),
  })),
);

/** What a request departs from the last answered one in: by comparing the truth, field by field. */
function kindsBetween(before: Truth, now: Truth): ReadonlySet<BreakReason["kind"]> {
  const differs = (field: keyof Truth): boolean =>
    JSON.stringify(before[field]) !== JSON.stringify(now[field]);
  const kinds = {
    "model-changed": differs("model"),
    "speed-changed": differs("speed"),
    "tools-changed": differs("tools"),
    "system-changed": differs("system"),
    "effort-changed": differs("effort"),
    "thinking-changed": differs("thinking"),
    "body-changed": differs("choice"),
    "betas-changed": before.betas.toSorted().join() !== now.betas.toSorted().join(),
    "overage-changed": differs("overage"),
    "messages-changed": changedAt(before, now) !== undefined,
  };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  return new Set(names.filter((kind) => kinds[kind]));
}

function changedAt({ messages: before }: Truth, { messages: now }: Truth): number | undefined {
  const last = before.length - 1;
  const at = before.findIndex((blocks, index) => {
    const compared = index === last ? now[index]?.slice(0, blocks.length) : now[index];
    return JSON.stringify(blocks) !== JSON.stringify(compared);
  });
  return at < 0 ? undefined : at;
}

/** What is left to say when nothing changed. */
const quiet: ReadonlySet<string> = new Set([
  "outside-lookback",
  "expired",
  "thinking-stripped",
  "server-side",
]);

/** The request that the truth stands for; markers somewhere, and one on the last block always. */
function requestOf(truth: Truth, markers: readonly number[]): ModelRequest {
  const marker = { cache_control: { type: "ephemeral" } };
  const last = truth.messages.length - 1;
  return {
    model: truth.model,
    max_tokens: 10,
    speed: truth.speed,
    tools: truth.tools.map((name) => ({ name: name.split(" ")[0] ?? "", description: name, ...marker })),
    system: truth.system.map((block) => ({ type: "text", text: block, ...marker })),
    output_config: { effort: truth.effort },
    tool_choice: { type: truth.choice },
    ...(truth.thinking === "off" ? {} : { thinking: { type: truth.thinking } }),
    messages: truth.messages.map((blocks, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: blocks.map((block, at) => ({
        type: "text",
        text: block,
        ...(markers.includes(index) || (index === last && at === blocks.length - 1) ? marker : {}),
      })),
    })),
  } as unknown as ModelRequest;
}

const step = fc.record({
  change: fc.oneof(settings, inMessages, inMessages),
  markers: fc.array(fc.nat(4), { maxLength: 3 }),
  /** What becomes of the call. */
  fate: fc.constantFrom("whole", "whole", "lost", "lost", "failed"),
  told: fc.constantFrom("nothing", "nothing", "nothing", "nothing", "compaction", "deletion"),
  minutes: fc.constantFrom(0, 0, 1, 7),
});

it("no false alarm, no missed break, and only reasons that are true", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const watch = createCacheWatch({ settings: { cacheBreakExcludedModels: [] } });
      let truth = start;
      let answered: Truth | undefined;
      let isExcused = false;
      let at = 0;
      for (const { change, markers, fate, told, minutes } of steps) {
        truth = change(truth);
        at += minutes * 60_000 + 1;
        if (told === "compaction") {
          watch.notifyCompaction("sdk");
          answered = undefined;
        } else if (told === "deletion" && answered !== undefined) {
          watch.notifyDeletion("sdk", { deletedTokens: 1, keepsPrefix: false });
          isExcused = true;
        }
        const { betas, overage } = truth;
        const pending = watch.before({
          source: "sdk",
          request: requestOf(truth, markers),
          betas,
          facts: { overage },
          at,
        });
        const kinds = answered === undefined ? new Set() : kindsBetween(answered, truth);
        const made = new Set(pending.map(({ kind }) => kind));
        made.delete("markers-changed");
        expect(made).toEqual(kinds);
        const inMessages = pending.find((reason) => reason.kind === "messages-changed");
        if (inMessages !== undefined && answered !== undefined) {
          expect(inMessages.position).toBe(changedAt(answered, truth));
        }
        if (fate === "failed") continue;
        const read = fate === "whole" ? 50_000 : 20_000;
        const usage = {
          input_tokens: 1,
          output_tokens: 1,
          cache_read_input_tokens: read,
          cache_creation_input_tokens: 50_000 - read,
        };
        const found = watch.after({ source: "sdk", usage, at: at + 1 });
        expect(found !== undefined).toBe(fate === "lost" && answered !== undefined && !isExcused);
        expect(found === undefined || found.lostTokens === 30_000).toBe(true);
        if (found !== undefined && pending.length === 0) {
          expect(found.reasons.every(({ kind }) => quiet.has(kind))).toBe(true);
          expect(found.reasons.some(({ kind }) => kind === "expired")).toBe(found.gapMs > 300_000);
        } else if (found !== undefined) {
          expect(found.reasons).toEqual(pending);
        }
        isExcused = false;
        answered = truth;
      }
    }),
    { numRuns: 3000 },
  );
});

it("sharing objects with the last request and sending everything anew are the same", () => {
  const list = fc.array(fc.tuple(fc.oneof(settings, inMessages), fc.boolean()), { maxLength: 8 });
  fc.assert(
    fc.property(list, (changes) => {
      const watches = [createCacheWatch(), createCacheWatch()];
      let truth = start;
      let request = requestOf(truth, []);
      for (const [change, isKept] of changes) {
        truth = change(truth);
        const built = requestOf(truth, []);
        // Messages that did not change stay the objects they were, as the normaliser hands them out.
        const shared = built.messages.map((message, index) => {
          const known = request.messages[index];
          return isKept && known !== undefined && JSON.stringify(known) === JSON.stringify(message)
            ? known
            : message;
        });
        request = { ...built, messages: shared };
        const told = [request, structuredClone(request)].map((sent, index) => {
          const pending = watches[index]?.before({ source: "sdk", request: sent, at: 0 });
          watches[index]?.after({
            source: "sdk",
            usage: { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 1 },
            at: 0,
          });
          return pending;
        });
        expect(told[0]).toEqual(told[1]);
      }
    }),
    { numRuns: 1000 },
  );
});

it("never throws, whatever the request and the answer hold", async () => {
  const json = fc.jsonValue();
  const block = fc.oneof(
    json,
    fc.record(
      {
        type: fc.constantFrom("text", "image", "thinking", "tool_result", 7),
        text: json,
        content: json,
        cache_control: json,
        citations: json,
      },
      { requiredKeys: [] },
    ),
  );
  const message = fc.oneof(json, fc.record({ role: json, content: fc.oneof(json, fc.array(block)) }));
  const request = fc.oneof(
    json,
    fc.record(
      {
        model: fc.oneof(json, fc.constant("claude-opus-5")),
        speed: json,
        tools: fc.oneof(json, fc.array(fc.oneof(json, fc.record({ name: json, cache_control: json })))),
        system: fc.oneof(json, fc.array(block)),
        messages: fc.oneof(json, fc.array(message)),
        cache_control: json,
        thinking: json,
        output_config: json,
        tool_choice: json,
        diagnostics: json,
        anything: json,
      },
      { requiredKeys: [] },
    ),
  );
  const figures = fc.oneof(
    json,
    fc.record({
      input_tokens: json,
      cache_read_input_tokens: fc.oneof(json, fc.nat(90_000)),
      cache_creation_input_tokens: fc.oneof(json, fc.nat(90_000)),
      cache_creation: json,
      iterations: json,
    }),
  );
  const section = fc.oneof(json, fc.record({ name: json, text: json, volatileBecause: json }));
  const facts = fc.record({ scopeStrategy: json, autoMode: json, edits: json, own: json });
  const host = fc.record({
    sections: fc.oneof(json, fc.array(section)),
    facts: fc.oneof(json, facts),
  });
  const diffs = createMemoryBreakDiffStore();
  let breaks = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(request, figures, json, json, host), { maxLength: 5 }), (calls) => {
      const watch = createCacheWatch({ diffs: writeDiffs(diffs) });
      for (const [sent, usage, diagnosis, model, told] of calls) {
        watch.before({
          source: "s",
          request: sent as never,
          betas: diagnosis as never,
          at: 0,
          sections: told.sections as never,
          facts: told.facts as never,
        });
        const found = watch.after({
          source: "s",
          usage: usage as never,
          at: 1,
          diagnosis,
          model: model as never,
        });
        if (found === undefined) continue;
        breaks += 1;
        expect(found.reasons.length).toBeGreaterThan(0);
        expect(describeBreak(found)).toContain("Cache break in s");
      }
    }),
    { numRuns: 3000 },
  );
  expect(breaks).toBeGreaterThan(0);
  expect(diffs.diffs.length).toBe(Math.min(breaks, 20));
});

it("sections and facts that are none do not make it throw", () => {
  const system = (text: string) => ({ model: "claude-opus-5", max_tokens: 1, system: text, messages: [] });
  const usage = (read: number) => ({
    input_tokens: 1,
    output_tokens: 1,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: 50_000,
  });
  const strange: readonly object[] = [
    { sections: null },
    { sections: [null, { name: 7, text: "a" }, { name: "a" }] },
    { sections: [{ name: "a", text: "a", volatileBecause: 7 }] },
    { sections: [{ name: "a", text: "b", volatileBecause: null }] },
    { facts: { scopeStrategy: 7 } },
    { facts: { scopeStrategy: null } },
    { facts: null },
  ];
  const watch = createCacheWatch({ diffs: writeDiffs(createMemoryBreakDiffStore()) });
  for (const [index, parts] of strange.entries()) {
    watch.before({ source: "s", request: system(`${index}`), at: index, ...parts });
    const found = watch.after({ source: "s", usage: usage(0), at: index });
    expect(found?.reasons.map(({ kind }) => kind)).toEqual(index === 0 ? undefined : ["system-changed"]);
  }
});

import fc from "fast-check";
import { expect, it } from "vitest";
import type { ModelRequest } from "@palimpsest/core";
import { createCacheWatch } from "../../packages/core/src/engine/watch/cache-watch.js";
import {
  assistant,
  createClient,
  marked,
  markedLong,
  prose,
  text,
  user,
} from "../../packages/palimpsest/src/simulator/testing/client.js";

interface Setup {
  readonly body: object;
  readonly tools: readonly string[];
  readonly system: string;
  readonly betas: readonly string[];
  readonly messages: readonly object[];
  readonly marker: object;
}

const start: Setup = {
  body: {},
  tools: ["Read"],
  system: "Monday",
  betas: [],
  messages: [user(text(prose("question", 3000)))],
  marker: marked,
};

type Change = (setup: Setup) => Setup;

const image = {
  type: "image",
  source: { type: "base64", media_type: "image/gif", data: "R0lGODlhAQABAAAAOw==" },
};
const round = (name: string, blocks: number, tokens: number): readonly object[] => [
  assistant(text(`answer ${name}`)),
  user(...Array.from({ length: blocks }, (_, index) => text(prose(`${name} ${index}`, tokens)))),
];

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.nat().map((name) => (setup: Setup) => ({
      ...setup,
      messages: [...setup.messages, ...round(`${name}`, 1, 3000)],
    })),
  },
  fc.nat().map((name) => (setup: Setup) => ({
    ...setup,
    messages: [...setup.messages, ...round(`${name}`, 25, 200)],
  })),
  fc
    .constantFrom(
      {},
      { speed: "fast" },
      { output_config: { effort: "low" } },
      { thinking: { type: "adaptive" } },
      { tool_choice: { type: "any" } },
      { model: "claude-opus-4-8" },
    )
    .map((body) => (setup: Setup) => ({ ...setup, body })),
  fc
    .constantFrom(["Read"], ["Read", "Edit"], ["Edit", "Read"])
    .map((tools) => (setup: Setup) => ({ ...setup, tools })),
  fc.constantFrom("Monday", "Tuesday").map((system) => (setup: Setup) => ({ ...setup, system })),
  fc.constantFrom([], ["a-2026-01-01"]).map((betas) => (setup: Setup) => ({ ...setup, betas })),
  fc.nat(20).map((at) => (setup: Setup) => {
    const index = (at % Math.ceil(setup.messages.length / 2)) * 2;
    return { ...setup, messages: setup.messages.with(index, user(text(prose("edited", 3000)))) };
  }),
  fc.nat(20).map((at) => (setup: Setup) => ({
    ...setup,
    messages: setup.messages.slice(0, 1 + (at % Math.ceil(setup.messages.length / 2)) * 2),
  })),
  fc.constant((setup: Setup) => ({
    ...setup,
    messages: [...setup.messages, assistant(text("look")), user(image, text("this"))],
  })),
);

function requestOf({ body, tools, system, messages, marker }: Setup): object {
  const last = messages.at(-1) as { content: readonly object[] };
  const at = last.content.length - 1;
  return {
    model: "claude-opus-5",
    max_tokens: 100,
    tools: tools.map((name) => ({
      name,
      description: prose(name, 1500),
      input_schema: { type: "object" },
    })),
    system: [text(prose(system, 1500), marker)],
    messages: messages.with(messages.length - 1, {
      ...last,
      content: last.content.with(at, { ...last.content[at], ...marker }),
    }),
    ...body,
  };
}

const step = fc.record({ change, minutes: fc.constantFrom(0, 0, 0, 1, 6, 70) });

it("says of a simulated cache what that says of itself", () => {
  let tried = 0;
  let breaks = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 10 }), fc.boolean(), (steps, isLong) => {
      tried += 1;
      const { simulator, call } = createClient({
        counter: { count: (value) => Math.ceil(value.length / 4) },
      });
      const watch = createCacheWatch();
      let setup: Setup = { ...start, marker: isLong ? markedLong : marked };
      let left: number | undefined;
      let previous: string | null = null;
      for (const { change: apply, minutes } of steps) {
        setup = apply(setup);
        simulator.advance(minutes * 60_000);
        const request = { ...requestOf(setup), diagnostics: { previous_message_id: previous } };
        const { betas } = setup;
        const at = simulator.now();
        const pending = watch.before({
          source: "sdk",
          request: request as unknown as ModelRequest,
          betas,
          at,
        });
        const outcome = call(request, { betas });
        if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome).slice(0, 500));
        const { message, verdict } = outcome;
        const written = verdict.cacheWrite5m + verdict.cacheWrite1h;
        const found = watch.after({
          source: "sdk",
          usage: message.usage,
          at,
          model: message.model,
          diagnosis: message.diagnostics,
        });
        const lost = left === undefined ? 0 : left - verdict.cacheRead;
        expect(found?.lostTokens ?? 0).toBe(lost > 2000 && lost > (left ?? 0) * 0.05 ? lost : 0);
        if (found !== undefined) {
          breaks += 1;
          // It compares requests: where only time or distance is to blame it finds no difference.
          expect(found.agrees).toBe(true);
          // What the simulator cannot put down to a change, to time or to distance does not happen.
          expect(found.reasons.map(({ kind }) => kind)).not.toContain("server-side");
          const misses = new Set(verdict.misses.map(({ reason }) => reason));
          if (pending.length === 0) {
            expect(misses.has("expired") || misses.has("outside-lookback")).toBe(true);
          }
        }
        left = verdict.cacheRead + written;
        previous = message.id;
      }
    }),
    { numRuns: 400 },
  );
  expect(breaks).toBeGreaterThan(tried / 2);
});

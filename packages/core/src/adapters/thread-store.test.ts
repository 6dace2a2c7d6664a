import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEventEmitter } from "../engine/events/emitter.js";
import { createMemoryStandIns } from "../tree/memory-stand-ins.js";
import type { StandInStore } from "../tree/stand-in-store.js";
import type { AdapterOptions } from "./adapter-options.js";
import { answers, inputOf, response, says } from "./testing/turn-inputs.js";
import { createThreads } from "./threads.js";
import type { GivenMessage, TurnInput } from "./turn-input.js";

const words = (label: string): string => `${label}: ${"some words ".repeat(900)}`;

/** Adapters as processes have them: all they share is a store. Counts the summaries that they pay for. */
function createPlace(store: StandInStore = createMemoryStandIns()) {
  let paid = 0;
  const settings = { window: 7000, reserve: 1500, autoCompactBuffer: 300, keepLastTokens: 200 };
  const inputHere = (messages: readonly GivenMessage[]): TurnInput =>
    inputOf(messages, {
      async ask() {
        paid += 1;
        const said = `This is summary ${paid}. ${"1. Primary request and intent: to go on. ".repeat(20)}`;
        await new Promise<void>((resolve) => setTimeout(resolve, 1));
        return response([{ type: "text", text: `<analysis>a</analysis><summary>${said}</summary>` }]);
      },
    });
  return {
    store,
    inputOf: inputHere,
    paid: () => paid,
    process: (options: AdapterOptions = {}) => createThreads({ settings, store, ...options }),
  };
}

type Process = ReturnType<ReturnType<typeof createPlace>["process"]>;
type Place = ReturnType<typeof createPlace>;

/** Sends a list, takes the answer in; gives the list then, and what was sent. */
async function turn({ inputOf }: Place, process: Process, list: readonly GivenMessage[], answer: string) {
  const begun = await process.begin(inputOf(list));
  await begun.answered(response([{ type: "text", text: answer }]));
  return { list: [...list, answers(answer)], sent: JSON.stringify(begun.request.messages) };
}

/** A conversation of so many prompts. */
async function talk(place: Place, process: Process, prompts: number): Promise<readonly GivenMessage[]> {
  let list: readonly GivenMessage[] = [];
  for (let at = 0; at < prompts; at += 1) {
    ({ list } = await turn(place, process, [...list, says(words(`prompt ${at}`))], `answer ${at}`));
  }
  return list;
}

describe("conversations in a store", () => {
  it("a side question in the middle costs the main line nothing, in this process and in another", async () => {
    const place = createPlace();
    const main = place.process();
    const list = await talk(place, main, 4);
    const before = place.paid();
    expect(before).toBeGreaterThan(0);
    // The beginning was never too long, and the end is compacted already.
    for (const process of [main, place.process()]) {
      await turn(place, process, [...list.slice(0, 2), says("What was that?")], "That.");
      await turn(place, process, [...list.slice(0, 6), says("And that?")], "That too.");
      await turn(place, process, [...list, says("A word, please.")], "A word.");
    }
    expect(place.paid()).toBe(before);
  });

  it("a history that was edited goes on from what was made of what is left", async () => {
    const place = createPlace();
    const list = await talk(place, place.process(), 4);
    const before = place.paid();
    const edited = [...list.slice(0, -2), says("Something else, and short.")];
    const { sent } = await turn(place, place.process(), edited, "Else.");
    expect(place.paid()).toBe(before);
    expect(sent).toContain("This is summary");
    expect(sent).toContain("Something else, and short.");
  });

  it("a list that two ask for at once is made ready once", async () => {
    const place = createPlace();
    const process = place.process();
    const list = [
      ...(await talk(place, process, 1)),
      says(words("second")),
      answers("x"),
      says(words("third")),
    ];
    const begun = await Promise.all([1, 2, 3].map(() => process.begin(place.inputOf(list))));
    expect(place.paid()).toBe(1);
    expect(new Set(begun.map(({ request }) => JSON.stringify(request.messages))).size).toBe(1);
  });

  it("where two processes make room for one list at once, both send what the first has made", async () => {
    const place = createPlace();
    const first = await talk(place, place.process(), 1);
    const list = [...first, says(words("second")), answers("x"), says(words("third"))];
    const begun = await Promise.all([1, 2].map(() => place.process().begin(place.inputOf(list))));
    expect(place.paid()).toBe(2);
    expect(new Set(begun.map(({ request }) => JSON.stringify(request.messages))).size).toBe(1);
    // And so does whoever comes next.
    const third = await place.process().begin(place.inputOf(list));
    expect(JSON.stringify(third.request.messages)).toBe(JSON.stringify(begun[0]?.request.messages));
    expect(place.paid()).toBe(2);
  });

  it("what was made because the API refused is there for a retry in another process", async () => {
    const place = createPlace();
    const trusting = { settings: { window: 200_000, reserve: 1500, keepLastTokens: 200 } };
    const process = place.process(trusting);
    const list = [...(await talk(place, process, 3)), says(words("fourth"))];
    const begun = await process.begin(place.inputOf(list));
    expect(place.paid()).toBe(0);
    const failure = {
      kind: "context-overflow",
      message: "prompt is too long",
      retryable: false,
      actualTokens: 9000,
      maximumTokens: 7000,
    } as const;
    expect(await begun.refused(failure)).toBe(true);
    const again = await process.begin(place.inputOf(list));
    const paid = place.paid();
    expect(paid).toBeGreaterThan(0);
    // The process ends here: nobody has heard the answer.
    const other = await place.process(trusting).begin(place.inputOf(list));
    expect(JSON.stringify(other.request.messages)).toBe(JSON.stringify(again.request.messages));
    expect(place.paid()).toBe(paid);
  });

  it("a store that fails costs what it would have saved, tells it, and fails no request", async () => {
    const broken: StandInStore = {
      find: () => Promise.reject(new Error("no disk")),
      insert: () => Promise.reject(new Error("disk full")),
    };
    const place = createPlace(broken);
    const events = createEventEmitter();
    const told: string[] = [];
    events.on("stand_in_store_failed", ({ operation, message }) => told.push(`${operation}: ${message}`));
    const process = place.process({ events });
    const list = await talk(place, process, 4);
    expect(list.length).toBe(8);
    expect(new Set(told)).toEqual(new Set(["find: no disk", "insert: disk full"]));
    const alone = createPlace();
    await talk(alone, alone.process(), 4);
    expect(place.paid()).toBe(alone.paid());
  });

  it("whatever a store gives back, what is sent is the list", async () => {
    const roomy = { settings: { window: 200_000 } };
    const kept = createMemoryStandIns();
    const real = createPlace(kept);
    const list = await talk(real, real.process(roomy), 2);
    const values: string[] = [];
    await createPlace({
      find: async (keys) => {
        const found = await kept.find(keys);
        values.push(...(found?.values ?? []));
        return found;
      },
      insert: (key, value, from) => kept.insert(key, value, from),
    })
      .process(roomy)
      .begin(real.inputOf([...list, says("go on")]));
    expect(values.length).toBeGreaterThan(0);
    const lines = values.join("\n").split("\n");
    const hostile = fc.oneof(
      fc.string(),
      fc.json(),
      fc.subarray(lines).map((some) => some.join("\n")),
      fc
        .tuple(fc.constantFrom(...values), fc.nat(5000), fc.string({ maxLength: 5 }))
        .map(([value, at, text]) => value.slice(0, at) + text + value.slice(at + 1)),
      fc.constantFrom(...values).map((value) => value.replaceAll(/"given":\d+/g, '"given":99')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { maxLength: 3 }), async (given) => {
        const place = createPlace({
          find: async ([key = ""]) => ({ key, values: given }),
          insert: async (_key, value) => value,
        });
        const begun = await place.process(roomy).begin(place.inputOf([...list, says("go on")]));
        const texts = begun.request.messages.map(({ content }) => JSON.stringify(content));
        expect(texts.length).toBe(list.length + 1);
        for (const said of ["prompt 0", "answer 0", "prompt 1", "answer 1", "go on"]) {
          expect(texts.some((text) => text.includes(said))).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

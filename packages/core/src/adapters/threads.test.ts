import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelResponse } from "../messages/call/response.js";
import type { RequestMessage } from "../messages/content.js";
import { createEventEmitter } from "../engine/events/emitter.js";
import type { AdapterOptions } from "./adapter-options.js";
import { createThreads, sendTurn } from "./threads.js";
import { answers, inputOf, response, says } from "./testing/turn-inputs.js";
import type { GivenMessage } from "./turn-input.js";

/** The texts of a request, a message a line. */
const textsOf = (messages: readonly RequestMessage[]): readonly string[] =>
  messages.map(
    ({ role, content }) =>
      `${role}: ${content.map((block) => (block.type === "text" ? block.text : block.type)).join("|")}`,
  );
const textsOfGiven = (messages: readonly GivenMessage[]): readonly string[] => textsOf(messages);

describe("threads", () => {
  it("a conversation goes on with what is new, and its beginning stays the same objects", async () => {
    const threads = createThreads({ settings: { window: 50_000 } });
    const list = [says("one")];
    const first = await threads.begin(inputOf(list));
    await first.answered(response([{ type: "text", text: "first" }]));
    list.push(answers("first"), says("two"));
    const second = await threads.begin(inputOf(list));
    await second.answered(response([{ type: "text", text: "second" }]));
    list.push(answers("second"), says("three"));
    const third = await threads.begin(inputOf(list.map((message) => structuredClone(message))));
    expect(textsOf(third.request.messages)).toEqual(textsOfGiven(list));
    expect(third.request.messages[0]).toBe(second.request.messages[0]);
    expect(third.request.messages[1]).toBe(second.request.messages[1]);
  });

  it("knows an answer again that a framework has changed in blanks and thinking", async () => {
    const threads = createThreads({});
    const first = await threads.begin(inputOf([says("one")]));
    await first.answered(
      response([
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text: "It is so. " },
      ]),
    );
    const second = await threads.begin(inputOf([says("one"), answers("It is so."), says("two")]));
    // As the model said it, with the thinking that belongs to it.
    expect(textsOf(second.request.messages)[1]).toBe("assistant: thinking|It is so. ");
  });

  it("samples of one list do not mix", async () => {
    const threads = createThreads({});
    const list = [says("one")];
    const samples = await Promise.all([1, 2, 3].map(() => threads.begin(inputOf(list))));
    await Promise.all(
      samples.map((turn, index) => turn.answered(response([{ type: "text", text: `sample ${index}` }]))),
    );
    for (const index of [0, 1, 2]) {
      const goesOn = [...list, answers(`sample ${index}`), says("go on")];
      const turn = await threads.begin(inputOf(goesOn));
      expect(textsOf(turn.request.messages)).toEqual(textsOfGiven(goesOn));
    }
  });

  it("conversations with keys of their own do not share anything", async () => {
    const threads = createThreads({});
    const a = await threads.begin(inputOf([says("one")], { key: "a" }));
    await a.answered(response([{ type: "text", text: "first" }]));
    const list = [says("one"), answers("first"), says("two")];
    const b = await threads.begin(inputOf(list, { key: "b" }));
    expect(textsOf(b.request.messages)).toEqual(textsOfGiven(list));
  });

  it("a request that failed is prepared again as it was", async () => {
    const threads = createThreads({});
    let tries = 0;
    const send = () =>
      sendTurn(threads, inputOf([says("one")]), async (turn) => {
        tries += 1;
        if (tries === 1) throw Object.assign(new Error("overloaded"), { status: 529 });
        return { result: textsOf(turn.request.messages) };
      });
    await expect(send()).rejects.toThrow("overloaded");
    expect(await send()).toEqual(["user: one"]);
  });

  it("what waits for an answer gets it, and an answer that never comes holds nobody up", async () => {
    const threads = createThreads({});
    const first = await threads.begin(inputOf([says("one")]));
    first.waitFor(Promise.resolve().then(() => first.answered(response([{ type: "text", text: "first" }]))));
    const list = [says("one"), answers("first"), says("two")];
    const second = await threads.begin(inputOf(list));
    expect(textsOf(second.request.messages)).toEqual(textsOfGiven(list));
    // Nobody says what became of the second: the host has stopped it.
    const longer = [...list, answers("half an"), says("three")];
    const third = await threads.begin(inputOf(longer));
    expect(textsOf(third.request.messages)).toEqual(textsOfGiven(longer));
    await second.answered(response([{ type: "text", text: "too late" }]));
    const fourth = await threads.begin(inputOf([...longer, says("four")]));
    expect(JSON.stringify(fourth.request.messages)).not.toContain("too late");
  });

  it("whatever a host does to its list, what is sent is that list", async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant("answer" as const), text: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("fail" as const), text: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("abandon" as const), text: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("back" as const), text: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("edit" as const), text: fc.nat(3) }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, maxThreads) => {
          const threads = createThreads({ maxThreads });
          let list: readonly GivenMessage[] = [says("begin")];
          for (const { do: what, text } of steps) {
            const turn = await threads.begin(inputOf(list));
            expect(textsOf(turn.request.messages)).toEqual(textsOfGiven(list));
            const answer = `answer ${text}`;
            if (what === "answer") await turn.answered(response([{ type: "text", text: answer }]));
            if (what === "fail") await turn.refused({ kind: "overloaded", message: "", retryable: true });
            if (what === "answer" || what === "abandon")
              list = list.concat(answers(answer), says(`then ${text}`));
            if (what === "back") list = list.slice(0, Math.max(1, list.length - 2 * text));
            if (what === "edit") list = [says(`another ${text}`), ...list.slice(1)];
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  /** Conversations with long prompts in a small window; gives how many summaries were paid for. */
  async function paidFor(talks: number, options: AdapterOptions = {}): Promise<number> {
    const settings = { window: 7000, reserve: 1500, autoCompactBuffer: 300, keepLastTokens: 200 };
    const threads = createThreads({ settings, ...options });
    const lists = new Map<number, readonly GivenMessage[]>();
    let paid = 0;
    const ask = async (): Promise<ModelResponse> => {
      paid += 1;
      const text = `<analysis>a</analysis><summary>${"1. Primary request and intent: to go on. ".repeat(20)}</summary>`;
      return response([{ type: "text", text }]);
    };
    for (let turn = 0; turn < 3; turn += 1) {
      for (let talk = 0; talk < talks; talk += 1) {
        const list = [
          ...(lists.get(talk) ?? []),
          says(`Talk ${talk}, turn ${turn}: ${"some words ".repeat(900)}`),
        ];
        const turned = await threads.begin(inputOf(list, { ask }));
        expect(JSON.stringify(turned.request.messages)).toContain(`Talk ${talk}, turn ${turn}:`);
        await turned.answered(response([{ type: "text", text: `Answer ${talk} ${turn}` }]));
        lists.set(talk, [...list, answers(`Answer ${talk} ${turn}`)]);
      }
    }
    return paid;
  }

  it("with default limits hundreds of conversations in turn pay what each would pay alone", async () => {
    const alone = await paidFor(1);
    expect(alone).toBeGreaterThan(0);
    const isFull = Number(process.env["PALIMPSEST_PROPERTY_SHARE"] ?? 0) >= 1;
    const many = isFull ? 500 : 200;
    expect(await paidFor(many)).toBe(many * alone);
  });

  it("what is let go is told, and comes back from the store without a summary", async () => {
    const alone = await paidFor(1);
    for (const [limit, options] of [
      ["maxThreads", { maxThreads: 3 }],
      ["maxHeldCharacters", { maxHeldCharacters: 60_000 }],
    ] as const) {
      const events = createEventEmitter();
      const told: string[] = [];
      events.on("conversation_evicted", (event) => told.push(event.limit));
      expect(await paidFor(12, { events, ...options })).toBe(12 * alone);
      expect(told.length).toBeGreaterThan(10);
      expect(new Set(told)).toEqual(new Set([limit]));
    }
  });

  it("says so where nothing can be sent", async () => {
    const threads = createThreads({ settings: { window: 3000, reserve: 500, disableCompact: true } });
    const input = inputOf([says("word ".repeat(5000))]);
    await expect(threads.begin(input)).rejects.toThrow("context window is full");
  });
});

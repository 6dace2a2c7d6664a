import { PassThrough, Readable } from "node:stream";
import { setImmediate as tick } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PermissionQuestion } from "../../agent/loop/agent.js";
import { ClientControl } from "./client-control.js";
import { readPrompts } from "./read-prompts.js";
import type { StreamLine } from "./stream-line.js";

const never = new AbortController().signal;
const question = (input: object = { command: "ls" }) =>
  ({
    tool: { definition: { name: "Bash" } },
    input,
    judgement: { behavior: "ask", reason: "It needs a permission." },
    toolUseId: "toolu_1",
  }) as PermissionQuestion;

function create() {
  const written: StreamLine[] = [];
  const control = new ClientControl((line) => written.push(line));
  /** Answers the newest question. */
  const answer = (response: object): void => {
    const id = written.findLast(({ type }) => type === "control_request")?.["request_id"];
    control.take({ type: "control_response", response: { request_id: id, ...response } });
  };
  return { written, control, answer };
}

describe("a permission that a client is asked for", () => {
  it("is given as it answers; an input that it did not change is left alone", async () => {
    const { control, answer } = create();
    for (const [response, verdict] of [
      [{ behavior: "allow" }, { behavior: "allow" }],
      [{ behavior: "allow", updatedInput: { command: "ls" } }, { behavior: "allow" }],
      [
        { behavior: "allow", updatedInput: { command: "ls -l" } },
        { behavior: "allow", input: { command: "ls -l" } },
      ],
      [
        { behavior: "deny", message: "No." },
        { behavior: "deny", reason: "No." },
      ],
      [
        { behavior: "deny", message: "No.", interrupt: true },
        { behavior: "deny", endsTurn: true },
      ],
    ] as const) {
      const asked = control.ask(question(), never);
      answer({ subtype: "success", response });
      const given = await asked;
      expect(given).toMatchObject(verdict);
      expect("input" in given).toBe("input" in verdict);
    }
  });

  it("is never given by an answer that does not allow it in so many words", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("success", "error", "other"),
        fc.jsonValue(),
        async (subtype, response) => {
          const { control, answer } = create();
          const asked = control.ask(question(), never);
          answer({ subtype, response, error: response });
          const isAllowed =
            subtype !== "error" && (response as { readonly behavior?: unknown } | null)?.behavior === "allow";
          expect((await asked).behavior).toBe(isAllowed ? "allow" : "deny");
        },
      ),
      { numRuns: 500 },
    );
  });

  it("is denied by one who is gone, before or after the question; late answers are for nobody", async () => {
    const { control, answer, written } = create();
    const asked = control.ask(question(), never);
    control.ended();
    expect(await asked).toMatchObject({ behavior: "deny" });
    answer({ subtype: "success", response: { behavior: "allow" } });
    expect(await control.ask(question(), never)).toMatchObject({ behavior: "deny" });
    expect(written).toHaveLength(1);
  });

  it("is taken back when the turn is called off", async () => {
    const { control, written } = create();
    const stop = new AbortController();
    const asked = control.ask(question(), stop.signal);
    stop.abort();
    await expect(asked).rejects.toThrow();
    expect(written.at(-1)).toEqual({
      type: "control_cancel_request",
      request_id: written[0]?.["request_id"],
    });
    expect(control.isAsking()).toBe(false);
  });
});

describe("an interruption", () => {
  it("ends what is under way, or the prompt that waits; where there is none it is nothing", () => {
    const { control } = create();
    control.interrupt();
    expect(control.beginTurn().aborted).toBe(false);
    control.endTurn();
    control.queued();
    control.interrupt();
    expect(control.beginTurn().aborted).toBe(true);
    control.endTurn();
    const running = control.beginTurn();
    control.interrupt();
    expect(running.aborted).toBe(true);
  });
});

const user = (content: string): string => `${JSON.stringify({ type: "user", message: { content } })}\n`;
const request = (id: string): string =>
  `${JSON.stringify({ type: "control_request", request_id: id, request: { subtype: "x" } })}\n`;

describe("the input", () => {
  it("is read on while a prompt is answered, and keeps its order; what is wrong with it comes in its place", async () => {
    const { control, written } = create();
    control.attach(
      ({ subtype }) => ({ heard: subtype }),
      () => {},
    );
    const input = new PassThrough();
    const prompts = readPrompts(input, never, control);
    input.write(user("one") + request("a"));
    expect((await prompts.next()).value).toEqual({ content: "one" });
    input.write(`${JSON.stringify({ type: "keep_alive" })}\n${request("b")}${user("two")}{"type":"other"}\n`);
    await tick();
    expect(written.map(({ response }) => response)).toEqual([
      { subtype: "success", response: { heard: "x" }, request_id: "a" },
      { subtype: "success", response: { heard: "x" }, request_id: "b" },
    ]);
    expect((await prompts.next()).value).toEqual({ content: "two" });
    await expect(prompts.next()).rejects.toThrow('line 6 of the input must have the type "user"');
    expect(input.destroyed).toBe(true);
  });

  it("is not read ahead without end, except for an answer that is waited for", async () => {
    const { control, written } = create();
    let taken = 0;
    /** The answer comes after five thousand prompts. */
    async function* lines() {
      for (; taken < 5000; taken += 1) yield user(`prompt ${taken}`);
      const response = { subtype: "success", response: { behavior: "allow" } };
      const { request_id } = written[0] ?? {};
      yield `${JSON.stringify({ type: "control_response", response: { ...response, request_id } })}\n`;
    }
    const prompts = readPrompts(Readable.from(lines(), { highWaterMark: 1 }), never, control);
    await prompts.next();
    for (let turn = 0; turn < 50; turn += 1) await tick();
    expect(taken).toBeLessThan(1100);
    expect(await control.ask(question(), never)).toMatchObject({ behavior: "allow" });
    expect(written).toHaveLength(1);
    await prompts.return(undefined);
  });

  it.each([{}, { request_id: 5 }, { request_id: "" }, { request_id: "x".repeat(201) }])(
    "with a request of %j that nobody could answer is wrong",
    async (more) => {
      const { control } = create();
      const line = `${JSON.stringify({ type: "control_request", request: {}, ...more })}\n`;
      const prompts = readPrompts(Readable.from([line]), never, control);
      await expect(prompts.next()).rejects.toThrow("line 1 of the input has no request_id");
    },
  );
});

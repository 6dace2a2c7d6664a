import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../base/agent-event.js";
import { call, createLoopAgent, makeTool, pause, resultsIn } from "./testing/loop-agent.js";

const kinds = (events: readonly AgentEvent[]): readonly string[] => events.map(({ kind }) => kind);
const echo = makeTool("Echo", ({ value }) => ({ content: `said ${String(value)}` }), { isReadOnly: true });

describe("a turn", () => {
  it("ends with what the model said last", async () => {
    const { run, conversation } = createLoopAgent({ steps: ["All is well."] });
    const { result, events } = await run("How are you?");
    expect(result).toMatchObject({ reason: "done", text: "All is well.", turns: 1 });
    expect(events[0]).toMatchObject({ kind: "message", message: { type: "user" } });
    expect(kinds(events)).toEqual(expect.arrayContaining(["text"]));
    expect(conversation.live.map(({ type }) => type)).toEqual(["user", "assistant"]);
  });

  it("runs calls and goes on with their results", async () => {
    const { run, conversation, problems } = createLoopAgent({
      steps: [
        { text: "Look.", calls: [call("Echo", { value: "a" }), call("Echo", { value: "b" })] },
        "Done.",
      ],
      tools: [echo],
    });
    const { result } = await run("Say a and b.");
    expect(result).toMatchObject({ reason: "done", text: "Done.", turns: 2 });
    expect(resultsIn(conversation.live).map(({ content }) => content)).toEqual(["said a", "said b"]);
    expect(problems()).toEqual([]);
  });

  it("takes pictures as a prompt", async () => {
    const { run, problems } = createLoopAgent({ steps: ["A dot."] });
    const data =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const { result } = await run([
      { type: "text", text: "What is this?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
    ]);
    expect(result.reason).toBe("done");
    expect(problems()).toEqual([]);
  });

  it("a broken picture as a prompt ends nothing: the person and the model are told", async () => {
    const { run, problems, provider, conversation } = createLoopAgent({ steps: ["I see.", "Done."] });
    const { events, result } = await run([
      { type: "text", text: "What is this?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "not base64!" } },
    ]);
    expect(result).toMatchObject({ reason: "done", text: "I see." });
    expect(JSON.stringify(conversation.live)).toContain("left out: its data is not base64");
    expect(JSON.stringify(events)).toContain(
      "1 image or document replaced by text · [image (image/png) left out: its data is not base64]",
    );
    expect((await run("And now?")).result).toMatchObject({ reason: "done", text: "Done." });
    expect(provider.log.totals().requests).toBe(2);
    expect(problems()).toEqual([]);
  });

  it("ends at the limit of requests, and can go on from there", async () => {
    const { run, problems } = createLoopAgent({
      steps: [{ calls: [call("Echo")] }, { calls: [call("Echo")] }, "Done."],
      tools: [echo],
    });
    const { result } = await run("Go.", { maxTurns: 2 });
    expect(result).toMatchObject({
      reason: "max-turns",
      text: "The limit of 2 requests was reached.",
      turns: 2,
    });
    expect(problems()).toEqual([]);
    expect((await run(undefined)).result).toMatchObject({ reason: "done", text: "Done.", turns: 1 });
  });

  it("does not ask the model again where its answer is complete", async () => {
    const { run, provider } = createLoopAgent({ steps: ["Done."] });
    await run("Go.");
    expect((await run(undefined)).result).toMatchObject({ reason: "held", turns: 0 });
    expect(provider.log.totals().requests).toBe(1);
  });

  it("says where an answer was cut off", async () => {
    const { run } = createLoopAgent({ steps: [{ text: "It begins", stopReason: "max_tokens" }] });
    const { events, result } = await run("Go.");
    expect(result.reason).toBe("done");
    expect(events).toContainEqual({ kind: "notice", text: expect.stringContaining("cut off") });
  });

  it("goes on where the API made a pause", async () => {
    const { run } = createLoopAgent({ steps: [{ text: "A moment.", stopReason: "pause_turn" }, "Done."] });
    expect((await run("Go.")).result).toMatchObject({ reason: "done", text: "Done.", turns: 2 });
  });
});

describe("calls", () => {
  it("run at the same time where they only read, and in order where they do not", async () => {
    const log: string[] = [];
    const slow = (name: string, isReadOnly: boolean) =>
      makeTool(
        name,
        async ({ value }) => {
          log.push(`${String(value)} begins`);
          await pause(30);
          log.push(`${String(value)} ends`);
          return { content: "ok" };
        },
        { isReadOnly },
      );
    const { run, conversation, problems } = createLoopAgent({
      steps: [
        {
          calls: [
            call("Look", { value: "r1" }),
            call("Look", { value: "r2" }),
            call("Change", { value: "w1" }),
            call("Change", { value: "w2" }),
            call("Look", { value: "r3" }),
          ],
        },
        "Done.",
      ],
      tools: [slow("Look", true), slow("Change", false)],
    });
    await run("Go.");
    expect(log.slice(0, 2).toSorted()).toEqual(["r1 begins", "r2 begins"]);
    expect(log.slice(2, 4).toSorted()).toEqual(["r1 ends", "r2 ends"]);
    expect(log.slice(4)).toEqual(["w1 begins", "w1 ends", "w2 begins", "w2 ends", "r3 begins", "r3 ends"]);
    // What changed something is stored before the next change: one message for each group.
    const messages = conversation.live.filter(({ type }) => type === "user");
    expect(messages).toHaveLength(1 + 4);
    expect(problems()).toEqual([]);
  });

  it("are told while they run", async () => {
    const order: string[] = [];
    const tool = makeTool("Slow", async () => {
      await pause(20);
      order.push("works");
      return { content: "ok" };
    });
    const { run } = createLoopAgent({ steps: [{ calls: [call("Slow")] }, "Done."], tools: [tool] });
    await run("Go.", { onEvent: ({ kind }) => kind.startsWith("tool-") && order.push(kind) });
    expect(order).toEqual(["tool-start", "works", "tool-end"]);
  });

  it("all get a result, whatever is wrong with them", async () => {
    const throws = makeTool("Throws", () => {
      throw new Error("the disk is on fire");
    });
    const never = (name: string, schema: object = {}) =>
      makeTool(name, () => ({ content: "never" }), { schema });
    const tools = [throws, never("Gone"), never("Strict"), makeTool("Blank", () => ({ content: "  " }))];
    // What is offered and what is there by the time of the call need not be the same.
    const there = [throws, never("Strict", { required: ["other"] }), ...tools.slice(3)];
    const { run, conversation, problems } = createLoopAgent({
      steps: [
        { calls: [call("Throws"), call("Gone"), call("Strict", { value: "x" }), call("Blank")] },
        "Done.",
      ],
      tools,
      agent: { tools: () => new Map(there.map((tool) => [tool.definition.name, tool])) },
    });
    const { result } = await run("Go.");
    expect(result.reason).toBe("done");
    expect(resultsIn(conversation.live)).toMatchObject([
      { content: "the disk is on fire", is_error: true },
      { content: 'There is no tool named "Gone" now.', is_error: true },
      { content: expect.stringContaining("does not fit"), is_error: true },
      { content: "(no output)" },
    ]);
    expect(problems()).toEqual([]);
  });

  it("that are not permitted tell the model why, and are told as such", async () => {
    const { run, conversation } = createLoopAgent({
      steps: [{ calls: [call("Echo", { value: "x" })] }, "Then not."],
      tools: [echo],
      agent: { judge: () => ({ behavior: "ask", reason: "It needs a permission.", suggestions: ["Echo"] }) },
    });
    const { events, result } = await run("Go.");
    expect(result.text).toBe("Then not.");
    expect(events).toContainEqual(
      expect.objectContaining({ kind: "tool-end", isDenied: true, isError: true }),
    );
    expect(resultsIn(conversation.live)[0]?.content).toMatch(/needs a permission.*Nobody is there.*Echo/);
  });

  it("may end the turn with what they answer", async () => {
    const plan = makeTool("Plan", () => ({ content: "1. Do it.", endsTurn: true }));
    const { run, problems } = createLoopAgent({
      steps: [{ text: "Here it is.", calls: [call("Plan")] }],
      tools: [plan],
    });
    expect((await run("Plan it.")).result).toMatchObject({ reason: "done", text: "1. Do it.", turns: 1 });
    expect(problems()).toEqual([]);
  });
});

describe("requests that fail", () => {
  it("are sent again, and that is told before the wait is over", async () => {
    const { run, provider } = createLoopAgent({
      steps: ["Done."],
      provider: { ports: { sleep: () => pause(30), random: () => 0.5 } },
    });
    provider.faults.set([{ fault: { fault: "529" }, span: { from: 1, to: 2 } }]);
    const { events, result } = await run("Go.");
    expect(result.reason).toBe("done");
    expect(events.filter(({ kind }) => kind === "retry")).toHaveLength(2);
    expect(kinds(events).indexOf("retry")).toBeLessThan(kinds(events).indexOf("text"));
  });

  it("end the turn with one sentence, and the conversation can go on", async () => {
    const { run, provider, problems } = createLoopAgent({ steps: ["Done."] });
    provider.faults.set([{ fault: { fault: "401" }, span: { from: 1, to: 1 } }]);
    const { result } = await run("Go.");
    expect(result.reason).toBe("failed");
    expect(result.text).not.toContain("\n");
    expect(problems()).toEqual([]);
    expect((await run(undefined)).result).toMatchObject({ reason: "done", text: "Done." });
  });

  it("as too long are compacted once and go on", async () => {
    let refusals = 0;
    const { run, events, problems } = withRefusal(() => (refusals += 1) === 1);
    const { result } = await run("Finish it.");
    expect(result).toMatchObject({ reason: "done" });
    expect(events()).toContain("full");
    expect(problems()).toEqual([]);
  });
});

/** A long conversation whose next request the API calls too long, while the answer says so. */
function withRefusal(isRefused: () => boolean) {
  let isArmed = false;
  const steps = Array.from({ length: 6 }, (_, at) => `Answer ${at}: ${"words and more words ".repeat(200)}`);
  const loop = createLoopAgent({
    steps,
    settings: { window: 60_000 },
    provider: {
      window: 60_000,
      wrap: (app) => async (request) => {
        const body = (await request.clone().json()) as { readonly messages?: readonly unknown[] };
        const isMain = isArmed && JSON.stringify(body.messages?.at(-1) ?? "").includes("Finish it.");
        if (!isMain || !isRefused()) return app(request);
        const message = "prompt is too long: 70000 tokens > 60000 maximum";
        return Response.json(
          { type: "error", error: { type: "invalid_request_error", message } },
          { status: 400 },
        );
      },
    },
  });
  const tiers: string[] = [];
  return {
    ...loop,
    events: () => tiers,
    run: async (prompt: string) => {
      for (let at = 0; at < 4; at += 1) await loop.run(`Question ${at}?`);
      isArmed = true;
      const done = await loop.run(prompt);
      for (const event of done.events) if (event.kind === "step") tiers.push(event.step.tier);
      return done;
    },
  };
}

describe("a conversation that is held", () => {
  it("says why, and nothing is sent", async () => {
    const { run, provider } = createLoopAgent({
      steps: ["Done."],
      settings: { window: 20_000, autoCompactEnabled: false },
    });
    const { result } = await run("word ".repeat(30_000));
    expect(result.reason).toBe("held");
    expect(result.text).toContain("window is full");
    expect(provider.log.totals().requests).toBe(0);
  });
});

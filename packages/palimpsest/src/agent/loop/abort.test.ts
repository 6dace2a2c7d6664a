import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../base/agent-event.js";
import { call, createLoopAgent, makeTool, pause, resultsIn, type LoopAgent } from "./testing/loop-agent.js";

/** Aborts at the first event of this kind. */
function abortAt(kind: AgentEvent["kind"]) {
  const stop = new AbortController();
  const onEvent = (event: AgentEvent): void => {
    if (event.kind === kind) stop.abort();
  };
  return { signal: stop.signal, onEvent };
}

async function expectResumable({ problems, run }: LoopAgent): Promise<void> {
  expect(problems()).toEqual([]);
  expect((await run("Go on.")).result).toMatchObject({ reason: "done" });
  expect(problems()).toEqual([]);
}

describe("an abort", () => {
  it("before anything was said leaves nothing behind", async () => {
    const loop = createLoopAgent({ steps: ["Done."] });
    const { result } = await loop.run("Go.", { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ reason: "aborted", turns: 0 });
    expect(loop.conversation.live).toEqual([]);
    expect((await loop.run("Go on.")).result).toMatchObject({ reason: "done" });
  });

  it("before the request leaves the prompt, and that it was interrupted", async () => {
    const loop = createLoopAgent({ steps: ["Done."] });
    const { result } = await loop.run("Go.", abortAt("message"));
    expect(result).toMatchObject({ reason: "aborted", turns: 0 });
    expect(loop.provider.log.totals().requests).toBe(0);
    await expectResumable(loop);
  });

  it("while the model speaks drops what it said", async () => {
    const steps = [{ text: "word ".repeat(400), delivery: { eventDelayMs: 5 } }, "Done."];
    const loop = createLoopAgent({ steps });
    const { result, events } = await loop.run("Go.", abortAt("text"));
    expect(result.reason).toBe("aborted");
    expect(events.filter(({ kind }) => kind === "text")).toHaveLength(1);
    expect(loop.provider.log.since(0)).toMatchObject([{ journey: "aborted" }]);
    expect(loop.conversation.live.some(({ type }) => type === "assistant")).toBe(false);
    await expectResumable(loop);
  });

  it("while tools run gives every call a result", async () => {
    const ran: string[] = [];
    const change = makeTool("Change", async ({ value }, signal) => {
      ran.push(String(value));
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      return { content: "Half of it.", isError: true };
    });
    const loop = createLoopAgent({
      steps: [
        { calls: [call("Look"), call("Change", { value: "a" }), call("Change", { value: "b" })] },
        "Done.",
      ],
      tools: [change, makeTool("Look", () => ({ content: "seen" }), { isReadOnly: true })],
    });
    const stop = new AbortController();
    let starts = 0;
    const { result } = await loop.run("Go.", {
      signal: stop.signal,
      onEvent: ({ kind }) => {
        if (kind === "tool-start" && (starts += 1) === 2) setTimeout(() => stop.abort(), 10);
      },
    });
    expect(result.reason).toBe("aborted");
    expect(ran).toEqual(["a"]);
    // A tool that minds the signal says what it has so far.
    expect(resultsIn(loop.conversation.live)).toMatchObject([
      { content: "seen" },
      { content: "Half of it.", is_error: true },
      { content: "The person interrupted before this was done.", is_error: true },
    ]);
    await expectResumable(loop);
  });

  it("does not wait for a tool that does not mind it", async () => {
    const stubborn = makeTool("Stubborn", () => new Promise(() => {}));
    const loop = createLoopAgent({ steps: [{ calls: [call("Stubborn")] }, "Done."], tools: [stubborn] });
    const { result } = await loop.run("Go.", abortAt("tool-start"));
    expect(result.reason).toBe("aborted");
    await expectResumable(loop);
  });

  it("while hooks decide does not let through what they would have forbidden", async () => {
    const stop = new AbortController();
    const ran: unknown[] = [];
    const loop = createLoopAgent({
      steps: [{ calls: [call("Do")] }, "Done."],
      tools: [
        makeTool("Do", (input) => {
          ran.push(input);
          return { content: "did it" };
        }),
      ],
      hooks: {
        PreToolUse: [
          async () => {
            stop.abort();
            await pause(50);
            return { permission: { behavior: "deny" } };
          },
        ],
      },
    });
    expect((await loop.run("Go.", { signal: stop.signal })).result.reason).toBe("aborted");
    expect(ran).toEqual([]);
    await expectResumable(loop);
  });

  it("while a prompt is judged keeps the prompt out", async () => {
    const stop = new AbortController();
    const loop = createLoopAgent({
      steps: ["Done."],
      hooks: {
        UserPromptSubmit: [
          async () => {
            stop.abort();
            await pause(50);
            return { block: "secret" };
          },
        ],
      },
    });
    expect((await loop.run("My key.", { signal: stop.signal })).result.reason).toBe("aborted");
    expect(loop.conversation.live).toEqual([]);
  });

  it("while the person is asked does not wait for the answer", async () => {
    const loop = createLoopAgent({
      steps: [{ calls: [call("Do")] }, "Done."],
      tools: [makeTool("Do", () => ({ content: "did it" }))],
      agent: {
        judge: () => ({ behavior: "ask", reason: "It needs a permission." }),
        ask: () => new Promise(() => {}),
      },
    });
    const { result } = await loop.run("Go.", abortAt("tool-start"));
    expect(result.reason).toBe("aborted");
    expect(loop.problems()).toEqual([]);
  });

  it("whoever stops listening ends the response too", async () => {
    const steps = [{ text: "word ".repeat(400), delivery: { eventDelayMs: 5 } }];
    const loop = createLoopAgent({ steps });
    const { query } = await import("./query.js");
    for await (const event of query(loop.agent, "Go.", { signal: new AbortController().signal })) {
      if (event.kind === "text") break;
    }
    expect(loop.problems()).toEqual([]);
  });
});

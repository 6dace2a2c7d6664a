import { describe, expect, it } from "vitest";
import type { HookRegistrations } from "../hooks/function-hooks.js";
import type { Judgement } from "../permissions/judgement.js";
import type { Agent } from "./agent.js";
import { call, contextsIn, createLoopAgent, makeTool, resultsIn } from "./testing/loop-agent.js";

/** A model that calls one tool and is done. */
function withCall(hooks: HookRegistrations, agent: Partial<Agent> = {}) {
  const inputs: unknown[] = [];
  const tool = makeTool("Do", (input) => {
    inputs.push(input);
    return { content: "did it" };
  });
  const loop = createLoopAgent({
    steps: [{ calls: [call("Do", { value: "one" }), call("Do", { value: "two" })] }, "Done."],
    tools: [tool],
    hooks,
    agent,
  });
  return { ...loop, inputs, results: () => resultsIn(loop.conversation.live) };
}

const judging = (judgement: Judgement): Partial<Agent> => ({ judge: () => judgement });
const asks = judging({ behavior: "ask", reason: "It needs a permission." });
const forbids = judging({ behavior: "deny", reason: "A rule forbids it." });
const askedByRule = judging({ behavior: "ask", reason: "A rule wants it asked.", rule: "Do" });

describe("PreToolUse", () => {
  it("denies, and the model is told the reason", async () => {
    const { run, inputs, results } = withCall({
      PreToolUse: [() => ({ permission: { behavior: "deny", reason: "Not on a Sunday." } })],
    });
    const { events } = await run("Go.");
    expect(inputs).toEqual([]);
    expect(results()).toMatchObject([
      { content: "Not on a Sunday.", is_error: true },
      { content: "Not on a Sunday.", is_error: true },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ kind: "tool-end", isDenied: true }));
  });

  it("allows what would be asked for, but not what a rule forbids or wants asked", async () => {
    const allow = { PreToolUse: [() => ({ permission: { behavior: "allow" as const } })] };
    const asked = withCall(allow, asks);
    await asked.run("Go.");
    expect(asked.inputs).toHaveLength(2);
    const forbidden = withCall(allow, forbids);
    await forbidden.run("Go.");
    expect(forbidden.inputs).toHaveLength(0);
    const ruled = withCall(allow, askedByRule);
    await ruled.run("Go.");
    expect(ruled.inputs).toHaveLength(0);
  });

  it("wants the person to be asked about what is allowed", async () => {
    const questions: string[] = [];
    const { run, inputs } = withCall(
      { PreToolUse: [() => ({ permission: { behavior: "ask" } })] },
      {
        ask: async ({ judgement }) => {
          questions.push(judgement.reason);
          return { behavior: questions.length === 1 ? "allow" : "deny", reason: "No more." };
        },
      },
    );
    await run("Go.");
    expect(questions).toHaveLength(2);
    expect(inputs).toEqual([{ value: "one" }]);
  });

  it("changes the input, which is checked and judged again", async () => {
    const judged: unknown[] = [];
    const { run, inputs, results } = withCall(
      {
        PreToolUse: [
          ({ toolInput }) => ({
            updatedInput: toolInput["value"] === "one" ? { value: "safe" } : { other: 1 },
          }),
        ],
      },
      {
        judge: (_, input) => {
          judged.push(input);
          return { behavior: "allow", reason: "" };
        },
      },
    );
    await run("Go.");
    expect(inputs).toEqual([{ value: "safe" }]);
    expect(judged).toEqual([{ value: "safe" }]);
    expect(results()[1]).toMatchObject({
      content: expect.stringContaining("A hook changed the input."),
      is_error: true,
    });
  });

  it("ends the turn: later calls are not made", async () => {
    const { run, inputs, results, problems } = withCall({
      PreToolUse: [({ toolInput }) => (toolInput["value"] === "one" ? { endTurn: "Enough." } : {})],
    });
    const { result } = await run("Go.");
    expect(result).toMatchObject({ reason: "stopped", text: "Enough." });
    expect(inputs).toEqual([]);
    expect(results()).toHaveLength(2);
    expect(problems()).toEqual([]);
  });

  it("adds contexts for the model and messages for the person", async () => {
    const { run, conversation } = withCall({
      PreToolUse: [() => ({ contexts: ["Mind the gap."], message: "A call is made." })],
    });
    const { events } = await run("Go.");
    expect(contextsIn(conversation.live)).toEqual(["Mind the gap.", "Mind the gap."]);
    expect(events).toContainEqual({ kind: "notice", text: "A call is made." });
  });
});

describe("PermissionRequest", () => {
  it("answers in place of the person", async () => {
    const { run, inputs, results } = withCall(
      {
        PermissionRequest: [
          ({ toolInput }) => ({
            answer:
              toolInput["value"] === "one"
                ? { behavior: "allow", updatedInput: { value: "other" } }
                : { behavior: "deny", message: "Not this one." },
          }),
        ],
      },
      asks,
    );
    await run("Go.");
    expect(inputs).toEqual([{ value: "other" }]);
    expect(results()[1]).toMatchObject({ content: "Not this one.", is_error: true });
  });

  it("is not heard where a rule forbids the changed input", async () => {
    const { run, inputs } = withCall(
      { PermissionRequest: [() => ({ answer: { behavior: "allow", updatedInput: { value: "bad" } } })] },
      {
        judge: (_, input) =>
          input["value"] === "bad"
            ? { behavior: "deny", reason: "A rule forbids it." }
            : { behavior: "ask", reason: "It needs a permission." },
      },
    );
    await run("Go.");
    expect(inputs).toEqual([]);
  });

  it("may end the turn with its denial", async () => {
    const { run } = withCall(
      { PermissionRequest: [() => ({ answer: { behavior: "deny", message: "Stop.", interrupt: true } })] },
      asks,
    );
    expect((await run("Go.")).result).toMatchObject({ reason: "stopped", text: "Stop." });
  });
});

describe("a person who is asked", () => {
  it("may change the input, but not to what a rule forbids", async () => {
    const { run, inputs, results } = withCall(
      {},
      {
        judge: (_, { value }) =>
          value === "bad"
            ? { behavior: "deny", reason: "A rule forbids it." }
            : { behavior: "ask", reason: "It needs a permission." },
        ask: async ({ input }) => ({
          behavior: "allow",
          reason: "Fine.",
          input: { value: input["value"] === "one" ? "other" : "bad" },
        }),
      },
    );
    await run("Go.");
    expect(inputs).toEqual([{ value: "other" }]);
    expect(results()[1]).toMatchObject({ content: "A rule forbids it.", is_error: true });
  });

  it("may end the turn with a denial", async () => {
    const { run, inputs } = withCall(
      {},
      { ...asks, ask: async () => ({ behavior: "deny", reason: "Stop.", endsTurn: true }) },
    );
    expect((await run("Go.")).result).toMatchObject({ reason: "stopped", text: "Stop." });
    expect(inputs).toEqual([]);
  });
});

describe("PostToolUse", () => {
  it("adds contexts, replaces the output, and says what it objects to", async () => {
    const { run, results, conversation } = withCall({
      PostToolUse: [
        ({ toolInput, toolResponse }) =>
          toolInput["value"] === "one"
            ? { updatedOutput: `seen: ${String(toolResponse)}`, contexts: ["One more thing."] }
            : { block: "The linter fails.", updatedOutput: { a: 1 } },
      ],
    });
    await run("Go.");
    expect(results().map(({ content }) => content)).toEqual(["seen: did it", '{"a":1}']);
    expect(contextsIn(conversation.live)).toEqual([
      "One more thing.",
      "A hook of the person says: The linter fails.",
    ]);
  });

  it("ends the turn behind the result", async () => {
    const { run, inputs, problems } = withCall({ PostToolUse: [() => ({ endTurn: "" })] });
    expect((await run("Go.")).result).toMatchObject({ reason: "stopped", text: "A hook ended the turn." });
    expect(inputs).toEqual([{ value: "one" }]);
    expect(problems()).toEqual([]);
  });
});

describe("Stop", () => {
  it("sends the model on, and hears that it did", async () => {
    const active: boolean[] = [];
    const { run } = createLoopAgent({
      steps: ["Done.", "Really done."],
      hooks: {
        Stop: [
          ({ isStopHookActive }) => {
            active.push(isStopHookActive);
            return isStopHookActive ? {} : { block: "Run the tests first." };
          },
        ],
      },
    });
    expect((await run("Go.")).result).toMatchObject({ reason: "done", text: "Really done.", turns: 2 });
    expect(active).toEqual([false, true]);
  });

  it("is not heard for ever", async () => {
    const { run } = createLoopAgent({ steps: ["Done."], hooks: { Stop: [() => ({ block: "Never." })] } });
    const { result, events } = await run("Go.");
    expect(result).toMatchObject({ reason: "done", turns: 9 });
    expect(events).toContainEqual({ kind: "notice", text: expect.stringContaining("not heard any more") });
  });
});

describe("UserPromptSubmit", () => {
  it("keeps a prompt from the model", async () => {
    const { run, conversation, provider } = createLoopAgent({
      steps: ["Done."],
      hooks: { UserPromptSubmit: [({ prompt }) => (prompt.includes("key") ? { block: "No keys." } : {})] },
    });
    expect((await run("My key is …")).result).toMatchObject({
      reason: "stopped",
      text: "No keys.",
      turns: 0,
    });
    expect(conversation.live).toEqual([]);
    expect(provider.log.totals().requests).toBe(0);
    expect((await run("Hello")).result.reason).toBe("done");
  });

  it("adds contexts beside it", async () => {
    const { run, conversation } = createLoopAgent({
      steps: ["Done."],
      hooks: { UserPromptSubmit: [() => ({ contexts: ["It is Sunday."] })] },
    });
    await run("Go.");
    expect(contextsIn(conversation.live)).toEqual(["It is Sunday."]);
  });
});

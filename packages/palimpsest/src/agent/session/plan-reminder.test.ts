import type { Attachment, Message } from "@palimpsest/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, resultsIn } from "../loop/testing/loop-agent.js";
import { PLAN_APPROVED } from "../tools/plan-mode.js";
import { planModeIn, planReminder } from "./plan-reminder.js";
import { sessionFolder } from "./session-folder.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

const attached = (attachment: unknown): Message => ({ type: "attachment", attachment }) as Message;
const called = (name: string, content: string, isError = false): readonly Message[] =>
  [
    { type: "assistant", message: { content: [{ type: "tool_use", id: name, name, input: {} }] } },
    {
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id: name, content, is_error: isError }] },
    },
  ] as unknown as readonly Message[];

const byPerson = attached({ type: "plan_mode", isSessionMode: true });
const on = (isSessionMode: boolean) => ({ isOn: true, isSessionMode });
const off = { isOn: false, isSessionMode: false };

describe("what a conversation says of plan mode", () => {
  it.each([
    ["nothing", [], off],
    ["that the person began it", [byPerson], on(true)],
    ["that the agent did", called("EnterPlanMode", "Plan mode is on."), on(false)],
    ["that it was on already", [byPerson, ...called("EnterPlanMode", "on already")], on(true)],
    ["that beginning it failed", called("EnterPlanMode", "no", true), off],
    [
      "that a plan was handed in, and it goes on",
      [byPerson, ...called("ExitPlanMode", "1. Do it.")],
      on(true),
    ],
    ["that the plan was approved", [byPerson, ...called("ExitPlanMode", `${PLAN_APPROVED}: begin.`)], off],
    ["that it ended", [byPerson, attached({ type: "plan_mode_ended" })], off],
    ["nothing that can be read", [attached({ type: 3 }), attached({})], off],
  ] as const)("%s", (_what, live, told) => {
    expect(planModeIn(live)).toEqual(told);
  });

  it("is put right, once, in words for whom it concerns", async () => {
    const state = (isPlanMode: boolean, content?: string) => ({
      isPlanMode: () => isPlanMode,
      wantsPlanAlone: () => true,
      plan: async () => ({ path: "/plan.md", content, isPlanMode }),
    });
    const settled = async (
      live: readonly Message[],
      planMode: ReturnType<typeof state>,
      agentId?: string,
    ) => {
      const reminders = await planReminder(live, planMode, agentId);
      expect(await planReminder([...live, ...reminders.map(attached)], planMode, agentId)).toEqual([]);
      return reminders.map(({ type, content }: Attachment) => [type, content]);
    };
    expect(await settled([], state(true))).toEqual([["plan_mode", undefined]]);
    expect(await settled([byPerson], state(true))).toEqual([]);
    expect(await settled([byPerson], state(false, "the plan"))).toEqual([
      ["plan_mode_ended", expect.stringContaining("The plan is in /plan.md.")],
    ]);
    expect(await settled([], state(true), "agent-1")).toEqual([
      ["plan_mode_subagent", expect.not.stringContaining("plan.md")],
    ]);
  });
});

it("in plan mode the plan's own file may be written, and nothing else", async () => {
  const plan = `${sessionFolder(place.data, "planner")}/plan.md`;
  const write = (path: string) => ({ calls: [call("Write", { file_path: path, content: "x" })] });
  const session = await place.open([write(plan), write("other.txt"), write(`${plan}.txt`), "Done."], {
    id: "planner",
    mode: "plan",
  });
  await session.say("Plan.");
  expect(resultsIn(session.conversation.live).map((result) => result.is_error === true)).toEqual([
    false,
    true,
    true,
  ]);
  await session.close();
});

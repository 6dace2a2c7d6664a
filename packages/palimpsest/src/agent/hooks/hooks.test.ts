import { describe, expect, expectTypeOf, it } from "vitest";
import type { Timer } from "@palimpsest/core";
import { asCompactHooks } from "./as-compact-hooks.js";
import { combineHooks } from "./combine-hooks.js";
import { createFunctionHooks, type HookRegistrations } from "./function-hooks.js";
import { hookNames, noHooks, type HookName, type HookProblem, type Hooks } from "./hooks.js";

/** A timer that goes off when it is told to. */
function manualTimer() {
  const waiting = new Map<() => void, number>();
  const timer: Timer = {
    after(milliseconds, callback) {
      waiting.set(callback, milliseconds);
      return () => void waiting.delete(callback);
    },
  };
  const goOff = (): void => {
    for (const callback of Array.from(waiting.keys())) callback();
  };
  return { timer, waiting, goOff };
}

function setUp(registrations: HookRegistrations) {
  const problems: HookProblem[] = [];
  const timing = manualTimer();
  const hooks = createFunctionHooks(registrations, {
    timer: timing.timer,
    onProblem: (problem) => problems.push(problem),
  });
  return { hooks, problems, ...timing };
}

const prompt = { prompt: "hello" };
const never = new Promise<never>(() => {});

it("every event has its name in the list", () => {
  expectTypeOf<(typeof hookNames)[number]>().toEqualTypeOf<HookName>();
  expect(new Set(hookNames).size).toBe(12);
});

describe("functions", () => {
  it("are told the input, run at the same time, and count in their order", async () => {
    const seen: unknown[] = [];
    let release = (): void => {};
    const first = new Promise<void>((resolve) => (release = resolve));
    const { hooks, problems, waiting } = setUp({
      UserPromptSubmit: [
        async (input) => {
          seen.push(input);
          await first;
          return { contexts: ["first"], message: "a" };
        },
        (input) => {
          seen.push(input);
          release();
          return { contexts: ["second"], block: "no", message: "b" };
        },
        () => {},
      ],
      Stop: [() => ({ block: "not this event" })],
    });
    expect(await hooks.run("UserPromptSubmit", prompt)).toEqual({
      contexts: ["first", "second"],
      block: "no",
      message: "a\nb",
    });
    expect(seen).toEqual([prompt, prompt]);
    expect(problems).toEqual([]);
    expect(waiting.size).toBe(0);
  });

  it("one that throws, rejects or talks nonsense says nothing, and is reported", async () => {
    const { hooks, problems } = setUp({
      Stop: [
        function loud() {
          throw new Error("broken");
        },
        async () => {
          throw new TypeError("rejected");
        },
        (() => "text") as never,
        (() => ({ contexts: 7 })) as never,
        () => ({ block: "go on" }),
      ],
    });
    expect(await hooks.run("Stop", { isStopHookActive: false })).toEqual({ block: "go on" });
    expect(problems.map(({ event, hook, kind }) => [event, hook, kind])).toEqual([
      ["Stop", "loud", "failed"],
      ["Stop", "function 2", "failed"],
      ["Stop", "function 3", "failed"],
      ["Stop", "function 4", "failed"],
    ]);
    expect(problems[0]?.message).toBe("broken");
  });

  it("one that hangs says nothing when its time is over", async () => {
    const { hooks, problems, waiting, goOff } = setUp({
      UserPromptSubmit: [() => never, () => ({ contexts: ["here"] })],
    });
    const running = hooks.run("UserPromptSubmit", prompt);
    expect([...waiting.values()]).toEqual([60_000, 60_000]);
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    goOff();
    expect(await running).toEqual({ contexts: ["here"] });
    expect(problems).toEqual([
      {
        event: "UserPromptSubmit",
        hook: "function 1",
        kind: "timed-out",
        message: "no answer within 60000 ms",
      },
    ]);
  });

  it("an abort ends the wait with nothing: half of the answers could allow what the rest forbids", async () => {
    const { hooks, problems, waiting } = setUp({
      PreToolUse: [() => ({ permission: { behavior: "allow" } }), () => never],
    });
    const controller = new AbortController();
    const call = { toolName: "Bash", toolInput: {}, toolUseId: "toolu_1" };
    const running = hooks.run("PreToolUse", call, { signal: controller.signal });
    controller.abort();
    expect(await running).toEqual({});
    expect(await hooks.run("PreToolUse", call, { signal: controller.signal })).toEqual({});
    expect(problems).toEqual([]);
    expect(waiting.size).toBe(0);
  });

  it("one that aborts by itself and a listener that throws harm nobody", async () => {
    const controller = new AbortController();
    const hooks = createFunctionHooks(
      {
        Stop: [() => controller.abort(), () => ({ block: "no" })],
        SessionEnd: [
          () => {
            throw new Error("broken");
          },
        ],
      },
      {
        timer: { after: () => () => {} },
        onProblem: () => {
          throw new Error("bad listener");
        },
      },
    );
    expect(await hooks.run("Stop", { isStopHookActive: false }, { signal: controller.signal })).toEqual({});
    expect(await hooks.run("SessionEnd", { reason: "other" })).toEqual({});
  });
});

describe("combined", () => {
  it("all are asked, and one that breaks its promise is passed over", async () => {
    const saying = (text: string) => setUp({ SessionStart: [() => ({ contexts: [text] })] }).hooks;
    const broken: Hooks = { run: () => Promise.reject(new Error("broken")) };
    const throwing: Hooks = {
      run: () => {
        throw new Error("broken");
      },
    };
    const hooks = combineHooks(saying("one"), broken, noHooks, throwing, saying("two"));
    expect(await hooks.run("SessionStart", { source: "startup" })).toEqual({ contexts: ["one", "two"] });
    expect(await combineHooks().run("SessionStart", { source: "clear" })).toEqual({});
    const signal = AbortSignal.abort();
    expect(await hooks.run("SessionStart", { source: "startup" }, { signal })).toEqual({});
  });
});

describe("for compactions", () => {
  const before = {
    trigger: "auto",
    customInstructions: undefined,
    sessionId: "s",
    transcriptPath: undefined,
  } as const;
  const after = { trigger: "manual", summary: "All of it.", tokensBefore: 100, tokensAfter: 10 } as const;

  it("the events are those of the session", async () => {
    const { hooks } = setUp({
      PreCompact: [(input) => ({ instructions: `for ${input.trigger} ${input.sessionId}`, message: "m" })],
      SessionStart: [({ source }) => ({ contexts: [source] })],
      PostCompact: [({ summary }) => ({ contexts: [summary], message: "done", endTurn: "enough" })],
    });
    const compactHooks = asCompactHooks(hooks);
    expect(await compactHooks.preCompact(before)).toEqual({ instructions: "for auto s", message: "m" });
    expect(await compactHooks.sessionStart({ source: "compact", sessionId: "s" })).toEqual({
      contexts: ["compact"],
    });
    expect(await compactHooks.postCompact(after)).toEqual({
      contexts: ["All of it."],
      message: "done\nenough",
    });
    expect(await asCompactHooks(noHooks).postCompact(after)).toEqual({});
  });

  it("whoever blocks, or ends the turn, keeps it from happening", async () => {
    const blocking = setUp({ PreCompact: [() => ({ block: "not now", endTurn: "stop" })] });
    const ending = setUp({ PreCompact: [() => ({ endTurn: "stop" })] });
    expect(await asCompactHooks(blocking.hooks).preCompact(before)).toEqual({ block: "not now" });
    expect(await asCompactHooks(ending.hooks).preCompact(before)).toEqual({ block: "stop" });
  });

  it("an abort of the compaction reaches the hooks", async () => {
    const { hooks } = setUp({ PreCompact: [() => never] });
    const controller = new AbortController();
    const asked = asCompactHooks(hooks).preCompact(before, controller.signal);
    controller.abort();
    expect(await asked).toEqual({});
  });
});

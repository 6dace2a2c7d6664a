import { describe, expect, it } from "vitest";
import type { HookName } from "./hooks.js";
import { readHookAnswer } from "./hook-answer.js";

const ended = (code: number, stdout: unknown, stderr = "") => ({
  code,
  stdout: typeof stdout === "string" ? stdout : JSON.stringify(stdout),
  stderr,
});

const answer = (name: HookName, stdout: unknown) => readHookAnswer(name, ended(0, stdout));
const output = (name: HookName, stdout: unknown) => answer(name, stdout).output;
const specific = (name: HookName, fields: object) => ({
  hookSpecificOutput: { hookEventName: name, ...fields },
});

describe("text on stdout", () => {
  it.each<[HookName, object]>([
    ["SessionStart", { contexts: ["Zeit für Tee ☕"] }],
    ["UserPromptSubmit", { contexts: ["Zeit für Tee ☕"] }],
    ["PreCompact", { instructions: "Zeit für Tee ☕" }],
    ["PostCompact", { message: "Zeit für Tee ☕" }],
    ["PreToolUse", {}],
    ["PostToolUse", {}],
    ["Stop", {}],
    ["SessionEnd", {}],
    ["InstructionsLoaded", {}],
    ["PermissionRequest", {}],
  ])("%s", (name, expected) => {
    expect(answer(name, " Zeit für Tee ☕\n")).toEqual({ output: expected, problems: [] });
    expect(output(name, " \n")).toEqual({});
  });

  it("is text where it is a list or several objects, and nothing where it is broken JSON", () => {
    expect(output("SessionStart", "[1]")).toEqual({ contexts: ["[1]"] });
    expect(output("SessionStart", '{"a":1}\n{"b":2}\n')).toEqual({ contexts: ['{"a":1}\n{"b":2}'] });
    for (const broken of ["{broken}", '{"a":1}\n{"decision":"block"}', "{}{}"]) {
      expect(answer("SessionStart", broken).output).toEqual({});
      expect(answer("SessionStart", broken).problems).toHaveLength(1);
    }
  });

  it("is cut where it is too long, and not through a character", () => {
    const [context = ""] =
      readHookAnswer("SessionStart", ended(0, `${"x".repeat(9_999)}🙂tail`)).output.contexts ?? [];
    expect(context).toBe(`${"x".repeat(9_999)}\n[6 more characters of this hook's output are left out]`);
    const reason = readHookAnswer("Stop", ended(2, "", "y".repeat(20_000))).output.block ?? "";
    expect(reason).toMatch(/^y{10000}\n\[10,000 more/);
  });
});

describe("exit code 2", () => {
  it.each<[HookName, object]>([
    ["PreCompact", { block: "no" }],
    ["UserPromptSubmit", { block: "no" }],
    ["Stop", { block: "no" }],
    ["SubagentStop", { block: "no" }],
    ["PostToolUse", { block: "no" }],
    ["PreToolUse", { permission: { behavior: "deny", reason: "no" } }],
    ["PermissionRequest", { answer: { behavior: "deny", message: "no" } }],
    ["SessionStart", { message: "no" }],
    ["SubagentStart", { message: "no" }],
    ["PostCompact", { message: "no" }],
    ["SessionEnd", { message: "no" }],
    ["InstructionsLoaded", {}],
  ])("%s", (name, expected) => {
    const allow = specific("PreToolUse", { permissionDecision: "allow" });
    expect(readHookAnswer(name, ended(2, allow, "no\n"))).toEqual({ output: expected, problems: [] });
  });

  it("takes the reason from the JSON where stderr is silent, and has one in any case", () => {
    expect(readHookAnswer("Stop", ended(2, { reason: "tests fail" })).output).toEqual({
      block: "tests fail",
    });
    expect(readHookAnswer("Stop", ended(2, "{broken}")).output.block).toMatch(/no reason/);
  });
});

describe("JSON on stdout", () => {
  it("says things to the person, and ends the turn", () => {
    expect(output("SessionEnd", { systemMessage: "bye", suppressOutput: true })).toEqual({ message: "bye" });
    expect(output("Stop", { continue: false, stopReason: "enough" })).toEqual({ endTurn: "enough" });
    expect(output("Stop", { continue: false })).toEqual({ endTurn: "" });
    expect(output("Stop", { continue: true, stopReason: "enough" })).toEqual({});
    expect(output("InstructionsLoaded", { systemMessage: "hi", continue: false })).toEqual({});
  });

  it("blocks", () => {
    const block = { decision: "block", reason: "not yet" };
    expect(output("Stop", block)).toEqual({ block: "not yet" });
    expect(output("PreCompact", block)).toEqual({ block: "not yet" });
    expect(output("PreToolUse", block)).toEqual({ permission: { behavior: "deny", reason: "not yet" } });
    expect(output("SessionStart", { ...block, systemMessage: "m" })).toEqual({ message: "m\nnot yet" });
    expect(output("UserPromptSubmit", { decision: "block" })).toEqual({
      block: "A hook blocked this and gave no reason.",
    });
    expect(output("Stop", { decision: "approve", reason: "fine" })).toEqual({});
    expect(output("Stop", { decision: null, reason: null })).toEqual({});
  });

  it("adds context", () => {
    for (const name of [
      "SessionStart",
      "UserPromptSubmit",
      "PostToolUse",
      "Stop",
      "SubagentStart",
    ] as const) {
      expect(output(name, specific(name, { additionalContext: "c" }))).toEqual({ contexts: ["c"] });
    }
    const json = specific("PreCompact", { additionalContext: "keep paths" });
    expect(output("PreCompact", json)).toEqual({ instructions: "keep paths" });
    expect(output("SessionStart", { hookSpecificOutput: { additionalContext: "c" } })).toEqual({
      contexts: ["c"],
    });
  });

  it("decides about a tool call", () => {
    const decide = (fields: object) => output("PreToolUse", specific("PreToolUse", fields));
    const updatedInput = { command: "ls" };
    expect(decide({ permissionDecision: "allow", permissionDecisionReason: "safe", updatedInput })).toEqual({
      permission: { behavior: "allow", reason: "safe" },
      updatedInput,
    });
    expect(decide({ permissionDecision: "deny" })).toEqual({ permission: { behavior: "deny" } });
    expect(decide({ permissionDecision: "ask" })).toEqual({ permission: { behavior: "ask" } });
    expect(decide({ permissionDecision: "defer" })).toEqual({ permission: { behavior: "ask" } });
    expect(output("PreToolUse", { decision: "approve", reason: "old" })).toEqual({
      permission: { behavior: "allow", reason: "old" },
    });
    const both = {
      decision: "block",
      reason: "no",
      ...specific("PreToolUse", { permissionDecision: "allow" }),
    };
    expect(output("PreToolUse", both)).toEqual({ permission: { behavior: "deny", reason: "no" } });
  });

  it("answers for the person", () => {
    const decide = (decision: unknown) =>
      output("PermissionRequest", specific("PermissionRequest", { decision }));
    const updatedPermissions = [{ type: "setMode", mode: "acceptEdits", destination: "session" }];
    expect(decide({ behavior: "allow", updatedInput: { a: 1 }, updatedPermissions })).toEqual({
      answer: { behavior: "allow", updatedInput: { a: 1 }, updatedPermissions },
    });
    expect(decide({ behavior: "deny", message: "no", interrupt: true })).toEqual({
      answer: { behavior: "deny", message: "no", interrupt: true },
    });
    expect(decide({ behavior: "deny" })).toEqual({ answer: { behavior: "deny" } });
  });

  it("replaces a tool's output", () => {
    const replace = (fields: object) => output("PostToolUse", specific("PostToolUse", fields));
    expect(replace({ updatedToolOutput: { stdout: "…" } })).toEqual({ updatedOutput: { stdout: "…" } });
    expect(replace({ updatedMCPToolOutput: "…" })).toEqual({ updatedOutput: "…" });
  });

  it("allows nothing where the input it allows cannot be read", () => {
    const wrong = { updatedInput: "rm -rf /" };
    const before = answer("PreToolUse", specific("PreToolUse", { permissionDecision: "allow", ...wrong }));
    expect(before.output).toEqual({});
    expect(before.problems).toHaveLength(1);
    const denied = specific("PreToolUse", { permissionDecision: "deny", ...wrong });
    expect(output("PreToolUse", denied)).toEqual({ permission: { behavior: "deny" } });
    const asked = specific("PermissionRequest", { decision: { behavior: "allow", ...wrong } });
    expect(output("PermissionRequest", asked)).toEqual({});
  });

  it.each<[HookName, object, RegExp]>([
    ["Stop", { decision: "deny" }, /`decision`.*block/],
    ["Stop", { continue: "no" }, /`continue`/],
    ["Stop", { systemMessage: 7 }, /`systemMessage`/],
    ["Stop", { hookSpecificOutput: "x" }, /`hookSpecificOutput`/],
    ["Stop", specific("PreToolUse", { additionalContext: "c" }), /`hookSpecificOutput.hookEventName`.*Stop/],
    ["Stop", specific("Stop", { additionalContext: ["c"] }), /`additionalContext`/],
    ["PreToolUse", specific("PreToolUse", { permissionDecision: "yes" }), /`permissionDecision`/],
    ["PermissionRequest", specific("PermissionRequest", { decision: "allow" }), /behavior.*allow, deny/],
  ])("%s: %j is told of, and the rest counts", (name, fields, message) => {
    const { output, problems } = answer(name, { ...fields, stopReason: "x" });
    expect(output).toEqual({});
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });
});

import fc from "fast-check";
import { expect, it } from "vitest";
import type { HookOutput } from "./hooks.js";
import { mergeHookOutputs } from "./merge-hook-outputs.js";

it("keeps contexts, instructions and messages in their order", () => {
  expect(
    mergeHookOutputs<"UserPromptSubmit">([
      { contexts: ["one", " "], message: "first" },
      {},
      { contexts: ["two", "three"], message: "second " },
    ]),
  ).toEqual({ contexts: ["one", "two", "three"], message: "first\nsecond" });
  expect(
    mergeHookOutputs<"PreCompact">([{ instructions: "Keep the numbers." }, { instructions: "Be short.\n" }]),
  ).toEqual({ instructions: "Keep the numbers.\n\nBe short." });
});

it("of blocks, ends and new values the first counts", () => {
  expect(
    mergeHookOutputs<"PostToolUse">([
      { updatedOutput: 0 },
      { block: "because", endTurn: "", updatedOutput: 1 },
      { block: "no", endTurn: "enough" },
    ]),
  ).toEqual({ block: "because", endTurn: "", updatedOutput: 0 });
  expect(
    mergeHookOutputs<"PreToolUse">([{}, { updatedInput: { a: 1 } }, { updatedInput: { a: 2 } }]),
  ).toEqual({ updatedInput: { a: 1 } });
});

it("of permissions the strictest counts, and of those the first", () => {
  const merged = mergeHookOutputs<"PreToolUse">([
    { permission: { behavior: "allow", reason: "harmless" } },
    { permission: { behavior: "ask" } },
    { permission: { behavior: "deny", reason: "not here" } },
    { permission: { behavior: "deny", reason: "never" } },
  ]);
  expect(merged).toEqual({ permission: { behavior: "deny", reason: "not here" } });
  expect(
    mergeHookOutputs<"PermissionRequest">([
      { answer: { behavior: "allow" } },
      { answer: { behavior: "deny", message: "no" } },
    ]),
  ).toEqual({ answer: { behavior: "deny", message: "no" } });
});

const output: fc.Arbitrary<HookOutput<"PreToolUse">> = fc.record(
  {
    message: fc.string(),
    contexts: fc.array(fc.string(), { maxLength: 2 }),
    permission: fc.record({ behavior: fc.constantFrom("allow", "ask", "deny") }),
    updatedInput: fc.record({ a: fc.integer() }),
    endTurn: fc.string(),
  },
  { requiredKeys: [] },
);

it("is the same merged in parts or at once, and merged again", () => {
  fc.assert(
    fc.property(fc.array(output, { maxLength: 4 }), fc.array(output, { maxLength: 4 }), (left, right) => {
      const whole = mergeHookOutputs<"PreToolUse">([...left, ...right]);
      const parts = [mergeHookOutputs<"PreToolUse">(left), mergeHookOutputs<"PreToolUse">(right)];
      expect(mergeHookOutputs<"PreToolUse">(parts)).toEqual(whole);
      expect(mergeHookOutputs<"PreToolUse">([whole])).toEqual(whole);
    }),
  );
});

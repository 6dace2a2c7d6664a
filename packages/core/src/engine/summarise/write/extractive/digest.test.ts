import { expect, it } from "vitest";
import { conversationBuilder } from "../../../../testing/conversation-builder.js";
import { createHeuristicEstimator } from "../../../measure/heuristic-estimator.js";
import { DIGEST_HEADING, isDigest, writeDigest } from "./digest.js";

const estimator = createHeuristicEstimator();

it("tells in few words what was dropped", () => {
  const to = conversationBuilder();
  const edit = { file_path: "src/a.ts", old_string: "a", new_string: "b" };
  const text = writeDigest(
    [
      to.user("rename it everywhere"),
      to.assistant([{ type: "tool_use", id: "t", name: "Edit", input: edit }]),
      to.user([
        { type: "tool_result", tool_use_id: "t", content: "no match\n7. Pending tasks:", is_error: true },
      ]),
      to.assistant("It was named differently."),
      to.user("ok"),
      to.assistant("Right."),
    ],
    { estimator },
  );
  expect(text).toBe(
    [
      DIGEST_HEADING,
      "The user said:",
      "   - rename it everywhere",
      "   - ok",
      "Files that were changed:",
      "   - src/a.ts (changing it failed)",
      "Errors:",
      "   - Edit src/a.ts failed:",
      "       no match",
      "       7. Pending tasks:",
      "     The user said: ok",
      "The assistant said:",
      "   - It was named differently.",
    ].join("\n"),
  );
});

it("stays within its budget, and says nothing of nothing", () => {
  const to = conversationBuilder();
  const many = Array.from({ length: 500 }, (_, index) => to.user(`message ${index} ${"lorem ".repeat(50)}`));
  for (const budgetTokens of [0, 10, 50, 300, 2000]) {
    const text = writeDigest(many, { estimator, budgetTokens }) ?? "";
    expect(estimator.block(text)).toBeLessThanOrEqual(budgetTokens);
  }
  expect(writeDigest([], { estimator })).toBeUndefined();
  expect(writeDigest([to.attachment("todo")], { estimator })).toBeUndefined();
});

it("is known by its flag and its words, and never told of in another", () => {
  const to = conversationBuilder();
  const digest = { ...to.user(`${DIGEST_HEADING}\nThe user said:\n   - x`), isMeta: true };
  expect(isDigest(digest)).toBe(true);
  expect(isDigest({ ...digest, isMeta: false })).toBe(false);
  expect(isDigest({ ...to.user("other"), isMeta: true })).toBe(false);
  expect(isDigest(to.assistant(DIGEST_HEADING))).toBe(false);
  expect(writeDigest([digest], { estimator })).toBeUndefined();
});

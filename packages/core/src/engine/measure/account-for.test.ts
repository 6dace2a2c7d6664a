import { expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { accountFor } from "./account-for.js";
import { createHeuristicEstimator } from "./heuristic-estimator.js";

let count = 0;
const message = (fields: object): Message => {
  count += 1;
  return { uuid: `u${count}`, parentUuid: null, timestamp: "", sessionId: "s", ...fields } as Message;
};
const user = (content: unknown, more: object = {}): Message =>
  message({ type: "user", message: { role: "user", content }, ...more });
const assistant = (content: unknown): Message =>
  message({ type: "assistant", message: { id: `m${count}`, role: "assistant", model: "x", content } });
const read = (id: string, path: string) => ({
  type: "tool_use",
  id,
  name: "Read",
  input: { file_path: path },
});
const result = (id: string, characters: number) =>
  user([{ type: "tool_result", tool_use_id: id, content: "r".repeat(characters) }]);

it("says where the context went", () => {
  const accounting = accountFor(
    [
      user("h".repeat(400)),
      assistant([{ type: "text", text: "a".repeat(800) }, read("t1", "a.ts")]),
      result("t1", 4000),
      assistant([read("t2", "a.ts"), { type: "tool_use", id: "t3", name: "Bash", input: {} }]),
      result("t2", 4400),
      result("t3", 2000),
      user("<local-command-stdout>ok</local-command-stdout>"),
      user("summary".repeat(40), { isCompactSummary: true }),
      user("caveat", { isMeta: true }),
      user([{ type: "image", source: {} }]),
      message({ type: "attachment", attachment: { type: "file", path: "b", content: "c" } }),
      message({ type: "attachment", attachment: { content: "typeless" } }),
      message({ type: "system", subtype: "info" }),
    ],
    createHeuristicEstimator(),
  );
  expect(accounting).toMatchObject({
    human: 100,
    assistant: 200,
    localCommandOutput: 12,
    other: 2000,
    toolResults: { Read: { count: 2, tokens: 2100 }, Bash: { count: 1, tokens: 500 } },
    duplicateReads: [{ path: "a.ts", count: 2, wasted: 1050 }],
  });
  expect(Object.keys(accounting.toolRequests)).toEqual(["Read", "Bash"]);
  expect(Object.keys(accounting.attachments).toSorted()).toEqual(["file", "meta", "summary", "unknown"]);
  const parts =
    accounting.human +
    accounting.assistant +
    accounting.localCommandOutput +
    accounting.other +
    [accounting.toolRequests, accounting.toolResults, accounting.attachments]
      .flatMap((shares) => Object.values(shares))
      .reduce((sum, share) => sum + share.tokens, 0);
  expect(accounting.total).toBe(parts);
  expect(accounting.percentages.toolResults).toBeCloseTo((2600 / accounting.total) * 100, 0);
});

it("an empty conversation has nothing to account for", () => {
  expect(accountFor([], createHeuristicEstimator())).toMatchObject({ total: 0, percentages: { human: 0 } });
});

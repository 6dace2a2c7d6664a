import { expect, it } from "vitest";
import type { CompactableKind } from "../../../tools/compactable-tools.js";
import { failureOf, tellingLines } from "./failure.js";

const judged = (kind: CompactableKind | undefined, text: string, isError?: boolean) =>
  failureOf(
    {
      type: "tool_result",
      tool_use_id: "t",
      content: text,
      ...(isError === undefined ? {} : { is_error: isError }),
    },
    { kind, text },
  );

it.each<readonly [CompactableKind | undefined, string, boolean | undefined]>([
  ["file-edit", "String not found", true],
  ["shell", "Exit code 1\nboom", undefined],
  ["shell", "Chunk ID: 1\nProcess exited with code 127\nOutput:\nnot found", undefined],
  ["shell", `${"line\n".repeat(500)}Command exited with code 2`, undefined],
  ["shell", "Traceback (most recent call last):\n  File", undefined],
  ["file-edit", "Error: no such file", undefined],
  [undefined, '{"exit_code": 3}', undefined],
])("%s: %j has failed", (kind, text, isError) => {
  expect(judged(kind, text, isError)).toBe("failed");
});

it.each<readonly [CompactableKind | undefined, string, boolean | undefined]>([
  ["shell", "Process exited with code 0\nOutput:\n0 errors", undefined],
  ["shell", "Process exited with code 1\nOutput:\n", undefined],
  ["file-read", "Error: this is what the file says\nexit code 1", undefined],
  ["grep", "a.ts:1: Exit code 1", undefined],
  ["shell", "ok", false],
])("%s: %j has not", (kind, text, isError) => {
  expect(judged(kind, text, isError)).toBeUndefined();
});

it("tells a refusal from a failure, and keeps what the person said", () => {
  const text =
    "The user doesn't want to proceed with this tool use. To tell you how, the user said:\nuse tabs";
  expect(judged("file-edit", text, true)).toBe("rejected");
  expect(tellingLines(text)).toBe("use tabs");
});

it("keeps the lines that say what was wrong", () => {
  expect(
    tellingLines("Exit code 1\nrunning\n  × expected 3 to be 4\nmore\nerror TS2304: Cannot find name"),
  ).toBe("  × expected 3 to be 4\nerror TS2304: Cannot find name");
  expect(tellingLines("Exit code 1\nall quiet")).toBe("all quiet");
});

import { describe, expect, it } from "vitest";
import type { Message } from "./message.js";
import { isHumanMessage, isThinkingOnly } from "./predicates.js";

const user = (content: unknown, flags: object = {}): Message =>
  ({
    type: "user",
    uuid: "u",
    parentUuid: null,
    timestamp: "",
    sessionId: "s",
    message: { role: "user", content },
    ...flags,
  }) as Message;

describe("human messages", () => {
  it.each<[string, Message, boolean]>([
    ["a prompt", user("fix the bug"), true],
    ["a prompt in blocks", user([{ type: "text", text: "fix it" }]), true],
    ["a picture", user([{ type: "image" }]), true],
    ["a command with its message", user("<command-message>review</command-message>"), true],
    ["a prompt beside a result", user([{ type: "tool_result" }, { type: "text", text: "stop" }]), true],
    ["a result alone", user([{ type: "tool_result" }]), false],
    ["meta", user("caveat", { isMeta: true }), false],
    ["a summary", user("summary", { isCompactSummary: true }), false],
    ["a command's name", user("<command-name>/exit</command-name>"), false],
    ["local output", user("<local-command-stdout>ok</local-command-stdout>"), false],
    ["a shell line", user("<bash-input>ls</bash-input>"), false],
    ["a notification", user("<task-notification>\ndone"), false],
    ["an interruption", user([{ type: "text", text: "[Request interrupted by user for tool use]" }]), false],
    ["a reminder", user("<system-reminder>x</system-reminder>"), false],
    ["a prompt after a reminder", user("<system-reminder>x</system-reminder>\n\nfix it"), true],
    [
      "a prompt after two",
      user("<context-reminder a='b'>x</context-reminder><system-reminder>y</system-reminder>do"),
      true,
    ],
    ["a prompt after an interruption", user("[Request interrupted by user]\nno, stop"), true],
    ["a prompt after a hook's words", user("<user-prompt-submit-hook>x</user-prompt-submit-hook>go"), true],
    [
      "reminders in a reminder",
      user("<system-reminder>a<system-reminder>b</system-reminder>c</system-reminder>"),
      false,
    ],
    ["a reminder without an end", user("<system-reminder>x\nfix it"), false],
    ["output with words after it", user("<bash-stdout>x</bash-stdout>\nfix it"), false],
    [
      "a notification with words after it",
      user("<task-notification>x</task-notification>\nsee there"),
      false,
    ],
    [
      "a command's output after a reminder",
      user("<system-reminder>x</system-reminder><bash-stdout>y</bash-stdout>"),
      false,
    ],
    ["nothing", user("  "), false],
    ["garbage", user(undefined), false],
  ])("%s", (_, message, expected) => {
    expect(isHumanMessage(message)).toBe(expected);
  });
});

it("thinking alone", () => {
  const assistant = (content: unknown) =>
    ({
      ...user(""),
      type: "assistant",
      message: { id: "m", role: "assistant", model: "x", content },
    }) as Message;
  expect(isThinkingOnly(assistant([{ type: "thinking" }, { type: "redacted_thinking" }]))).toBe(true);
  expect(isThinkingOnly(assistant([{ type: "thinking" }, { type: "text" }]))).toBe(false);
  expect(isThinkingOnly(assistant([]))).toBe(false);
});

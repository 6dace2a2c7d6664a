import { describe, expect, it } from "vitest";
import { failureMessage } from "./failure-message.js";

const told = (detail: string): string =>
  failureMessage("api_error", detail).replace(
    "The summary could not be written; the conversation is unchanged",
    "",
  );

describe("what a person is told", () => {
  it("is one sentence, with its cause where there is one", () => {
    expect(told("")).toBe(".");
    expect(told("  \n ")).toBe(".");
    expect(told("Overloaded")).toBe(": Overloaded.");
    expect(told("Try again later...")).toBe(": Try again later.");
    expect(failureMessage("aborted", "whatever the cause")).not.toContain("whatever");
  });

  it("stands on one line, and holds nothing that a terminal would obey", () => {
    expect(told("one\r\ntwo\u2028three")).toBe(": one two three.");
    expect(told("\u001B[2Jcleared\u0007\u009Bagain")).toBe(": [2Jcleared again.");
    expect(told("\u202Eback\u2066wards")).toBe(": back wards.");
  });

  it("is cut where the cause has no end, but never in the middle of a character", () => {
    expect(told("x".repeat(1000))).toBe(`: ${"x".repeat(300)}….`);
    expect(told(`${"x".repeat(299)}😀${"x".repeat(100)}`)).toBe(`: ${"x".repeat(299)}….`);
    expect(told("half a \uD83D character").isWellFormed()).toBe(true);
  });
});

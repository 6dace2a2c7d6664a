import { describe, expect, it } from "vitest";
import { overageIn } from "./overage.js";

const said = (parts: Readonly<Record<string, string>>): boolean | undefined =>
  overageIn({ get: (name) => parts[name.replace("anthropic-ratelimit-unified-", "")] ?? null });

describe("what the headers of a response say of the account", () => {
  it.each<[string, Readonly<Record<string, string>>, boolean | undefined]>([
    ["nothing, where it pays for what it uses", {}, undefined],
    ["nothing by headers of other kinds", { reset: "1800000000" }, undefined],
    ["in so many words that it is in overage", { "overage-in-use": " True " }, true],
    [
      "in so many words that it is not, whatever else they say",
      { "overage-in-use": "false", "representative-claim": "overage", status: "rejected" },
      false,
    ],
    ["that a word nobody knows is no overage", { "overage-in-use": "perhaps" }, false],
    ["that overage is what it is counted by", { "representative-claim": "overage" }, true],
    ["that it is counted by its plan", { "representative-claim": "five_hour", status: "allowed" }, false],
    [
      "that the plan is used up, and more is let through",
      { status: "rejected", "overage-status": "allowed_warning" },
      true,
    ],
    [
      "that the plan is used up, and nothing is let through",
      { status: "rejected", "overage-status": "rejected" },
      false,
    ],
    ["that the plan is used up, and nothing else", { status: "rejected" }, false],
    ["that the plan allows it", { status: "allowed_warning" }, false],
  ])("%s", (_, headers, expected) => {
    expect(said(headers)).toBe(expected);
  });
});

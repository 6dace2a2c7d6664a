import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { confirm, type TextSource } from "./confirm.js";

/** A person who types this, and then nothing more. */
async function asked(
  typed: string,
  { isTTY = true } = {},
): Promise<{ answer: boolean | undefined; shown: string }> {
  const stdin: TextSource = Object.assign(new PassThrough(), { isTTY });
  let shown = "";
  const stderr = { isTTY: true, write: (text: string) => (shown += text) };
  const answer = confirm("Go on?", { stdin, stderr });
  (stdin as unknown as PassThrough).end(typed);
  return { answer: await answer, shown };
}

describe("confirm", () => {
  it.each([
    ["y\n", true],
    ["YES \n", true],
    ["n\n", false],
    ["\n", false],
    ["", false],
    ["yesterday\n", false],
    ["no\ny\n", false],
  ])("%j: %s", async (typed, agreed) => {
    expect(await asked(typed)).toEqual({ answer: agreed, shown: "Go on? [y/N] " });
  });

  it("asks nobody where nobody sits", async () => {
    expect(await asked("y\n", { isTTY: false })).toEqual({ answer: undefined, shown: "" });
  });
});

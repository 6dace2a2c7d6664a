import { createMemoryReadState } from "@palimpsest/core/restore";
import { describe, expect, it } from "vitest";
import { createAskUserTool, type UserQuestion } from "./ask-user.js";
import type { ToolContext } from "../base/tool.js";

const { signal } = new AbortController();
const context: ToolContext = {
  toolUseId: "toolu_1",
  signal,
  now: () => 0,
  readState: createMemoryReadState(),
  touch: () => {},
};
const questions: readonly UserQuestion[] = [
  { question: "Which colour?", options: [{ label: "red" }, { label: "blue", description: "calm" }] },
  { question: "Which sizes?", options: [{ label: "S" }, { label: "L" }], multiSelect: true },
];

describe("asking the person", () => {
  it("brings back what they answered, question by question", async () => {
    const seen: unknown[] = [];
    const tool = createAskUserTool({
      async ask(asked, by) {
        seen.push(asked, by);
        return [["blue"], ["S", "L"]];
      },
    });
    expect(await tool.run({ questions }, context)).toEqual({
      content: "The person answered:\n\nWhich colour?\n→ blue\n\nWhich sizes?\n→ S, L",
    });
    expect(seen).toEqual([questions, signal]);
  });

  it("says so when they did not answer", async () => {
    const partly = createAskUserTool({ ask: async () => [["red"]] });
    expect((await partly.run({ questions }, context)).content).toContain("(no answer)");
    const declined = createAskUserTool({ ask: async () => undefined });
    expect((await declined.run({ questions }, context)).content).toContain("did not answer");
  });

  it("tells the model to decide by itself where nobody is there", async () => {
    const { content, isError } = await createAskUserTool().run({ questions }, context);
    expect(content).toContain("Nobody is there");
    expect(isError).toBeUndefined();
  });
});

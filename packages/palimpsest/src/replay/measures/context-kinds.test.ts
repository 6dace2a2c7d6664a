import { findModel, type Message, type RequestMessage } from "@palimpsest/core";
import { expect, it } from "vitest";
import { incoming, result, text, words } from "../testing/made-up-rounds.js";
import { blockTokens } from "../../simulator/tokens/block-tokens.js";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";
import { createContextKinds } from "./context-kinds.js";

const model = findModel("claude-opus-4-5");
if (model === undefined) throw new Error("the model is in the table");
const counter = createSharedCounter();
const tokens = (block: unknown): number => blockTokens(block, model, counter);
const image = { type: "image", source: { type: "url", url: "https://a.b/c" } } as const;
const thought = { type: "thinking", thinking: "let me see", signature: "s" } as const;
const use = { type: "tool_use", id: "t1", name: "Read", input: { path: "src/a.ts" } } as const;

const messages: readonly RequestMessage[] = [
  { role: "user", content: [text("fix it"), text("<local-command-stdout>ok</local-command-stdout>")] },
  { role: "assistant", content: [thought, text("I will"), use] },
  { role: "user", content: [result("t1", words(50)), image] },
  { role: "user", content: [text("This is a summary"), text("<system-reminder>a file</system-reminder>")] },
] as readonly RequestMessage[];

function noted() {
  const kinds = createContextKinds(model as NonNullable<typeof model>, counter);
  const meta = { ...incoming("<local-command-stdout>ok</local-command-stdout>"), isMeta: true } as Message;
  kinds.note([incoming([text("fix it")]), meta]);
  return kinds;
}

it("says what the tokens are: said, done, restored, or summarised", () => {
  const kinds = noted().kindsOf(messages, 1000);
  expect(kinds).toEqual({
    head: 1000,
    human: tokens(text("fix it")),
    other: tokens(text("<local-command-stdout>ok</local-command-stdout>")) + tokens(image),
    thinking: tokens(thought),
    assistant: tokens(text("I will")),
    calls: tokens(use),
    results: tokens(result("t1", words(50))),
    summary: tokens(text("This is a summary")),
    restored: tokens(text("<system-reminder>a file</system-reminder>")),
  });
});

it("takes a content that is a text", () => {
  expect(noted().kindsOf([{ role: "user", content: "fix it" } as unknown as RequestMessage], 0)).toEqual({
    head: 0,
    human: tokens(text("fix it")),
  });
});

it("lists the largest items, results by their calls, labels cut short", () => {
  const kinds = noted();
  const [first, second] = kinds.largest(messages, 2);
  expect(first).toMatchObject({ kind: "other", label: "image" });
  expect(second).toMatchObject({ kind: "results", label: 'Read {"path":"src/a.ts"}' });
  const long: readonly RequestMessage[] = [{ role: "user", content: [text(`a\n\n${"b".repeat(500)}`)] }];
  expect(kinds.largest(long, 9)[0]?.label).toMatch(/^a b{100,120}$/);
  expect(kinds.largest([{ role: "user", content: [result("unknown", "x")] }], 9)[0]?.label).toBe("result");
});

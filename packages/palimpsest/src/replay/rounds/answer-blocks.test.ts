import { expect, it } from "vitest";
import { answerBlocks } from "./answer-blocks.js";

const hidden = (signatureChars: number, model?: string): unknown =>
  answerBlocks([{ type: "thinking", thinking: "", signature: "s", signatureChars }], model)[0];
const thinking = (hiddenTokens: number): object => ({ type: "thinking", thinking: "", hiddenTokens });

it("a signature tells as many tokens as its model's do, after what all of them have", () => {
  expect(hidden(330 + 3870, "claude-sonnet-5")).toEqual(thinking(1000));
  expect(hidden(330 + 3430, "claude-fable-5")).toEqual(thinking(1000));
  expect(hidden(225 + 5550, "claude-opus-4-5-20251101")).toEqual(thinking(1000));
  expect(hidden(4200)).toEqual(thinking(1000));
  expect(hidden(4200, "somebody-else")).toEqual(thinking(1000));
});

it("a signature as short as can be still stands for thinking; none stands for nothing", () => {
  expect(hidden(4, "claude-fable-5")).toEqual(thinking(1));
  expect(answerBlocks([{ type: "thinking", thinking: "" }], "claude-fable-5")).toEqual([]);
});

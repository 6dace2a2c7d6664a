import type { ApiFailure, ModelCall, ModelProvider, ModelResponse } from "@palimpsest/core";

/** What came of a call beside the conversation: its text, or why there is none. */
export type AsideAnswer = { readonly text: string } | { readonly failure: ApiFailure | "no-text" };

/** Asks a model for a text. */
export async function askAside(provider: ModelProvider, call: ModelCall): Promise<AsideAnswer> {
  let answer: ModelResponse | undefined;
  for await (const output of provider.stream(call)) {
    if (output.kind === "error") return { failure: output.failure };
    if (output.kind === "message") answer = output.message;
  }
  const text = answer?.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return text === undefined || text.trim() === "" ? { failure: "no-text" } : { text };
}

/** What stands in `<summary>`; all of it where there is none. */
export const summaryIn = (text: string): string =>
  (/<summary>([^]*)<\/summary>/.exec(text)?.[1] ?? text).trim();

export const isTooLong = (answer: AsideAnswer): boolean =>
  "failure" in answer &&
  answer.failure !== "no-text" &&
  (answer.failure.kind === "context-overflow" || answer.failure.kind === "request-too-large");

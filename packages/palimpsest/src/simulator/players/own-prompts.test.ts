import { sectionTitles, summaryPrompt, type SummaryVariant } from "@palimpsest/core";
import { expect, it } from "vitest";
import { recogniseSummaryRequest } from "./summary-request.js";

const message = (role: "user" | "assistant", text: string) => ({
  role,
  content: [{ type: "text" as const, text }],
});

it.each<[SummaryVariant, boolean]>([
  ["full", true],
  ["full", false],
  ["from", true],
  ["up_to", true],
])("knows our own request for a summary (%s, tools %s)", (variant, hasTools) => {
  const messages = [
    message("user", "Fix the parser."),
    message("assistant", "Done."),
    message(
      "user",
      summaryPrompt({ variant, instructions: ["keep the names of all files"], pivot: "Fix it" }),
    ),
  ];
  const request = {
    model: "claude-opus-5",
    max_tokens: 1000,
    messages,
    ...(hasTools ? { tools: [{ name: "Read", input_schema: { type: "object" } }] } : {}),
  };
  expect(recogniseSummaryRequest({ request, messages, kind: "message", now: 0, sequence: 1 })).toMatchObject({
    kind: "summary",
    form: { style: "tagged", analysis: true, sections: sectionTitles(variant) },
  });
});

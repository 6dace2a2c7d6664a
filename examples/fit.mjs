// Headless: a plain list of messages that always fits, without a key and without a model.
import { fit } from "@palimpsest/core/fit";
import { findProblems } from "@palimpsest/core/validity";
import assert from "node:assert/strict";

const model = "claude-opus-5";
const tools = [{ name: "Read", input_schema: { type: "object", properties: { path: { type: "string" } } } }];
const settings = {
  window: 50_000,
  reserve: 8000,
  autoCompactBuffer: 4000,
  clearSizeTarget: 8000,
  clearSizeAtLeast: 4000,
};

let messages = [
  { role: "user", content: "Read every file and tell me what is wrong. Do not change anything." },
];
const done = [];
for (let round = 0; round < 80; round += 1) {
  const id = `toolu_${round}`;
  const grown = [
    ...messages,
    {
      role: "assistant",
      content: [{ type: "tool_use", id, name: "Read", input: { path: `src/file-${round}.ts` } }],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: id, content: `export const value = ${round};\n`.repeat(300) },
      ],
    },
  ];
  const fitted = await fit(grown, { model, tools, settings });
  assert.equal(fitted.problem, undefined);
  assert.deepEqual(findProblems({ model, max_tokens: 1000, messages: fitted.messages, tools }), []);
  for (const step of fitted.steps) done.push(`round ${round}: ${step.text}`);
  messages = fitted.messages;
}
console.log(done.join("\n"));
assert.ok(done.length > 0);
assert.ok(JSON.stringify(messages).includes("Do not change anything."));

import fc from "fast-check";
import { expect, it } from "vitest";
import type { AnthropicMessage } from "@palimpsest/core";
import { fit } from "@palimpsest/core/fit";
import { missingIn, shownToModel } from "./words/judge.js";
import { said } from "./words/said.js";

const runs = Number(process.env["PALIMPSEST_PROPERTY_RUNS"] ?? 100);
const seed = Number(process.env["PALIMPSEST_PROPERTY_SEED"] ?? Date.now() ^ process.pid);

const typed = said.filter(({ kind }) => kind === "message");
const turn = fc.record({
  words: fc.array(typed, { minLength: 1, maxLength: 3 }),
  rounds: fc.integer({ min: 1, max: 3 }),
  size: fc.integer({ min: 1, max: 20 }),
});

it("loses no word of a person between calls of fit, which has nothing but the list", async () => {
  let fitted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 8 }), async (turns) => {
      let messages: AnthropicMessage[] = [];
      const texts: (readonly string[])[] = [];
      let calls = 0;
      for (const { words, rounds, size } of turns) {
        for (const { content, texts: of } of words) {
          messages.push({ role: "user", content });
          // A list cannot say which texts were one message: each of them is looked after by itself.
          texts.push(...(typeof content === "string" ? [of] : of.map((text) => [text])));
        }
        for (let round = 0; round < rounds; round += 1) {
          const id = `t${(calls += 1)}`;
          messages.push(
            { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: { path: id } }] },
            {
              role: "user",
              content: [
                { type: "tool_result", tool_use_id: id, content: `line of ${id} `.repeat(size * 400) },
              ],
            },
          );
        }
        const result = await fit(messages, {
          model: "claude-opus-5",
          maxTokens: 2000,
          settings: { window: 110_000, autoCompactPercent: 60, keepRecentTokens: 2000, mediaImages: 4 },
        });
        expect(result.problem).toBeUndefined();
        if (result.steps.some(({ tier }) => tier === "full")) fitted += 1;
        messages = [...result.messages];
        const shown = shownToModel(result.messages);
        expect(missingIn(shown, texts, { whole: 3000, total: 12_000 })).toEqual([]);
      }
    }),
    { numRuns: runs, seed },
  );
  console.log(`every word, fit: ${runs} lists, seed ${seed}, ${fitted} compactions`);
  expect(fitted).toBeGreaterThan(runs / 10);
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { normalise, type Message } from "@palimpsest/core";
import { countRepairs } from "@palimpsest/core/engine";
import { findProblems } from "@palimpsest/core/validity";
import { checkProperty } from "../../packages/palimpsest/src/testing/check-property.js";
import { dataSource, goodSample, mendableSpelling, type Sample } from "./media-samples.js";

const ask = (block: unknown): Message =>
  ({
    type: "user",
    uuid: "u",
    parentUuid: null,
    timestamp: "2026-11-15T10:00:00.000Z",
    sessionId: "s",
    message: { role: "user", content: [block] },
  }) as unknown as Message;

function sent(block: unknown) {
  const { messages, repairs } = normalise([ask(block)]);
  return { block: messages[0]?.content[0], repairs: countRepairs(repairs) };
}

const judged = (block: unknown) =>
  findProblems({
    model: "claude-opus-5",
    max_tokens: 100,
    messages: [{ role: "user", content: [block] }],
  });

const blockOf = ({ kind, mediaType, bytes }: Sample) => ({
  type: kind,
  source: { type: "base64", media_type: mediaType, data: bytes.toString("base64") },
});

it("a picture or document in order is handed on as the same object", () => {
  checkProperty("media in order", goodSample, (sample) => {
    const given = blockOf(sample);
    expect(judged(given)).toEqual([]);
    const { block, repairs } = sent(given);
    expect(block).toBe(given);
    expect(Object.values(repairs).every((count) => count === 0)).toBe(true);
  });
});

it("data that is only spelled wrongly keeps every byte, whatever it is declared as", () => {
  const given = fc.tuple(
    goodSample,
    mendableSpelling,
    fc.constantFrom("image", "document"),
    fc.constantFrom("base64", "url"),
  );
  checkProperty("media mended", given, ([sample, spell, type, sourceType]) => {
    const text = spell(sample.bytes);
    const isAddress = sourceType === "url" && /^\s*data:/i.test(text);
    const source = isAddress
      ? { type: "url", url: text }
      : { type: "base64", media_type: "image/bmp", data: text };
    const { block, repairs } = sent({ type, source });
    expect(block).toEqual(blockOf(sample));
    expect(repairs.mended_media).toBe(1);
  });
});

it("what the judge takes is handed on as it is, and what it refuses is not", () => {
  const given = fc.record({ type: fc.constantFrom("image", "document"), source: dataSource });
  checkProperty("judge and normaliser agree", given, (block) => {
    const isTaken = judged(block).length === 0;
    const now = sent(block);
    expect(now.block === block).toBe(isTaken);
    expect(judged(now.block)).toEqual([]);
    const { mended_media, unreadable_media, oversized_media, malformed_block } = now.repairs;
    // Fields that nobody knows are left away without a word.
    const isBare = JSON.stringify(now.block) === JSON.stringify(block).replace(',"extra":1', "");
    expect(mended_media + unreadable_media + oversized_media).toBe(isTaken || isBare ? 0 : 1);
    expect(malformed_block).toBe(0);
    if (unreadable_media + oversized_media === 1) {
      expect(now.block).toMatchObject({ type: "text" });
      expect((now.block as { text: string }).text).toMatch(
        /^\[(?:image|document)(?: \([^)\n]+\))? left out: .+\]$/,
      );
    }
  });
});

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { conversationWindows } from "@palimpsest/core/engine";
import { describe, expect, it } from "vitest";
import { readRecording } from "../readers/read-recording.js";
import { isRestated } from "../readers/recording.js";
import { answerBlocks } from "./answer-blocks.js";
import { openConversation } from "./open-conversation.js";
import { isPiece } from "./skeleton.js";
import { corpusFolder } from "../testing/corpus-folder.js";

const corpus = corpusFolder;
const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";

describe.skipIf(corpus === undefined)(`rounds of recorded conversations${reason}`, () => {
  const folder = corpus ?? "";
  const files =
    corpus === undefined ? ["no recording"] : readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

  it.each(files)("%s: every response once, every result at most once, no summary", async (name) => {
    const { messages, counts } = await readRecording(join(folder, name));
    const responses = new Set<string>();
    for (const message of conversationWindows(messages).flat()) {
      if (!isPiece(message) || isRestated(message)) continue;
      if (answerBlocks(message.message.content).length > 0) responses.add(message.message.id);
    }
    const conversation = await openConversation(join(folder, name));
    const { overview } = conversation;
    expect(overview).toMatchObject({ undoneCompactions: counts.boundaries, keptCompactions: 0 });
    expect(overview.rounds).toBe(responses.size);
    const results = new Set<string>();
    let time = 0;
    for await (const { incoming, at, response } of conversation.rounds()) {
      expect(responses.delete(response.id)).toBe(true);
      expect(at).toBeGreaterThanOrEqual(time);
      expect(response.at).toBeGreaterThanOrEqual(at);
      time = response.at;
      for (const message of incoming) {
        if (message.type !== "user") continue;
        expect(message.isCompactSummary).not.toBe(true);
        const { content } = message.message;
        for (const block of typeof content === "string" ? [] : content) {
          if (block.type !== "tool_result") continue;
          expect(results.has(block.tool_use_id)).toBe(false);
          results.add(block.tool_use_id);
        }
      }
    }
    expect(responses.size).toBe(0);
  });
});

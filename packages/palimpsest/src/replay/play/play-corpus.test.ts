import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parsePolicies } from "../policies/parse-policies.js";
import { openConversation } from "../rounds/open-conversation.js";
import { playConversation } from "./play-conversation.js";
import { corpusFolder } from "../testing/corpus-folder.js";
import { someOf } from "../../testing/share.js";

const corpus = corpusFolder;
const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";

/** The large ones are played by `npm run soak -- --only recordings`, which checks the same. */
const MOST_BYTES = 1_500_000;

describe.skipIf(corpus === undefined)(`never forgetting, on recorded conversations${reason}`, () => {
  const folder = corpus ?? "";
  const files =
    corpus === undefined
      ? ["no recording"]
      : readdirSync(folder).filter(
          (name) => name.endsWith(".jsonl") && statSync(join(folder, name)).size <= MOST_BYTES,
        );

  it.each(someOf(files, 4))(
    "%s: remembers everything, and costs no less than a perfect cache",
    async (name) => {
      const conversation = await openConversation(join(folder, name));
      const { result } = await playConversation(conversation, {
        policies: parsePolicies("none"),
        window: 1_000_000_000,
      });
      for (const [ttl, figures] of Object.entries(result.policies)) {
        const { recall, userWords, invalid, overflow, turns, blindEdits, unreadEdits, blindTurns } = figures;
        const forgetting = { blindEdits, unreadEdits, blindTurns, lost: figures.lost };
        expect({ ttl, recall, userWords, invalid, overflow, turns, ...forgetting }).toEqual({
          ttl,
          blindEdits: 0,
          unreadEdits: 0,
          blindTurns: 0,
          lost: 0,
          recall: 1,
          userWords: 1,
          invalid: 0,
          overflow: 0,
          turns: result.rounds,
        });
        expect(figures.fullCost).toBe(figures.cost);
        expect(figures.costRatio).toBeGreaterThanOrEqual(1 - 1e-9);
      }
    },
  );
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "@palimpsest/core";
import { encodeLine } from "@palimpsest/core/engine";
import { conversationBuilder } from "@palimpsest/core/testing";
import fc from "fast-check";
import { it } from "vitest";
import { queryTerms } from "./query-terms.js";
import { searchTranscript } from "./search-transcript.js";
import { withTranscript } from "./transcript-file.js";

const word = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...Array.from("abKkiİß\\/\"'ñÑσςΣжЖ漢🦊.*(\u001b\u212a")),
    minLength: 1,
    maxLength: 8,
  }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
  fc.constantFrom("user", "type", "uuid", "content", "u00e9", "\\u00e9", "\\n"),
);
const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
const said = fc.record({ kind: fc.constantFrom("user", "assistant", "call", "result"), text });

/** A message that holds the text, in one of the ways in which a message can. */
function messageOf({ kind, text }: { kind: string; text: string }, talk = conversationBuilder()): Message {
  if (kind === "user") return talk.user(text);
  if (kind === "assistant") return talk.assistant([{ type: "text", text }]);
  if (kind === "call")
    return talk.assistant([{ type: "tool_use", id: "t", name: "Bash", input: { a: [text] } }]);
  return talk.user([{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text }] }]);
}

/** As JSON is written here, and as others do who escape all that is not ASCII. */
const encoders = [
  encodeLine,
  (message: Message) =>
    encodeLine(message).replace(
      /[^\u0020-\u007e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
];

it("finds every word that occurs in a message", async () => {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-words-"));
  const path = join(directory, "words.jsonl");
  const { signal } = new AbortController();
  const transcript = fc.record({ items: fc.array(said, { minLength: 1, maxLength: 6 }), way: fc.nat(1) });
  let searched = 0;
  try {
    await fc.assert(
      fc.asyncProperty(transcript, async ({ items, way }) => {
        const talk = conversationBuilder();
        const encode = encoders[way] ?? encodeLine;
        await writeFile(path, items.map((item) => `${encode(messageOf(item, talk))}\n`).join(""));
        for (const [index, item] of items.entries()) {
          for (const sought of item.text.split(/[\s"]+/)) {
            const terms = queryTerms(sought);
            if (terms === undefined || !sought.isWellFormed()) continue;
            const options = { sought: terms, maxResults: 20, contextLines: 50, isSidechain: false, signal };
            const found = await withTranscript(path, (file) => searchTranscript(file, options));
            const same = items.flatMap((other, at) =>
              other.text === item.text ? [`message-${at + 1}`] : [],
            );
            const uuids = found?.hits.map(({ uuid }) => uuid) ?? [];
            searched += 1;
            // The same words in the same surroundings count once: any of the messages that say the same will do.
            if (!same.some((uuid) => uuids.includes(uuid)))
              throw new Error(`${JSON.stringify(sought)} of message-${index + 1} is not found`);
          }
        }
      }),
      { numRuns: 1000 },
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  console.log(`${searched} words sought`);
});

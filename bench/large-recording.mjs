/** Writes a recording of a given size: a conversation with an agent that reads, edits and is compacted again and again. */
import { createWriteStream } from "node:fs";
import { once } from "node:events";

const WORDS =
  "the parser reads a line of the file and gives back what it holds for the index that keeps places names sizes and hashes of all parts".split(
    " ",
  );
const CONTEXT_TOKENS = 160_000;

/** A small generator of numbers, the same for the same seed. */
function numbers(seed) {
  let state = seed >>> 0;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % most;
  };
}

/** Lines of code and prose of about so many characters. */
function text(next, characters) {
  let made = "";
  while (made.length < characters) {
    const indent = " ".repeat(2 * next(4));
    const words = Array.from({ length: 4 + next(8) }, () => WORDS[next(WORDS.length)]).join(" ");
    made += `${indent}${next(3) === 0 ? `const ${WORDS[next(WORDS.length)]}${next(1000)} = ${next(100_000)};` : words}\n`;
  }
  return made;
}

/** `last` stands in the last answer, and nowhere else. */
export async function writeLargeRecording(path, { messages, bytes, last }) {
  const next = numbers(7);
  const file = createWriteStream(path);
  const sessionId = "large";
  const each = Math.floor((bytes / messages) * 2 - 1400);
  let at = Date.UTC(2026, 9, 1, 8);
  let parentUuid = null;
  let count = 0;
  let context = 25_000;
  let written = 0;
  const write = async (line) => {
    const uuid = `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
    count += 1;
    const timestamp = new Date(at).toISOString();
    const base = {
      parentUuid,
      isSidechain: false,
      sessionId,
      version: "2.1.70",
      uuid,
      timestamp,
      cwd: "/home/user/project",
    };
    parentUuid = uuid;
    const encoded = `${JSON.stringify({ ...base, ...line })}\n`;
    written += encoded.length;
    if (!file.write(encoded)) await once(file, "drain");
  };
  const user = (content, more = {}) => write({ type: "user", message: { role: "user", content }, ...more });
  await user("Please go through the parser and mend what is wrong with it.");
  const isDone = () => count >= messages;
  for (let round = 0; !isDone(); round += 1) {
    const id = `toolu_${String(round).padStart(8, "0")}`;
    const isLast = count + 2 >= messages;
    const grown = Math.ceil(each / 3.4);
    const usage = {
      input_tokens: 3,
      cache_read_input_tokens: round === 0 ? 0 : context,
      cache_creation_input_tokens: round === 0 ? context : grown,
      output_tokens: 240,
    };
    context += round === 0 ? 0 : grown;
    at += 9000 + next(20_000);
    const words = { type: "text", text: isLast ? `Done: ${last}` : text(next, 300) };
    const call = {
      type: "tool_use",
      id,
      name: next(4) === 0 ? "Bash" : "Read",
      input: { file_path: `/home/user/project/src/${next(400)}.ts` },
    };
    await write({
      type: "assistant",
      message: {
        id: `msg_${round}`,
        type: "message",
        role: "assistant",
        model: "claude-opus-5",
        content: [words, call],
        usage,
        stop_reason: "tool_use",
      },
    });
    at += 1000;
    await user([{ type: "tool_result", tool_use_id: id, content: text(next, each) }]);
    if (context < CONTEXT_TOKENS) continue;
    await write({
      type: "system",
      subtype: "compact_boundary",
      content: "Conversation compacted",
      parentUuid: null,
      compactMetadata: { trigger: "auto", preTokens: context },
    });
    await user(`This session goes on from one that ran out of context.\n${text(next, 9000)}`, {
      isCompactSummary: true,
    });
    context = 30_000;
  }
  file.end();
  await once(file, "close");
  return { bytes: written, messages: count };
}

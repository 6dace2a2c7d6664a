import { isHumanMessage, type Message } from "@palimpsest/core";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { aboutCall, resultText } from "../state/call-words.js";
import { saidText } from "../talk/said-text.js";
import type { TalkHandle } from "../talk/talk-handle.js";

/** Writes the conversation as markdown. A file that is there already stays as it is. */
export async function exportConversation(args: string, talk: TalkHandle): Promise<void> {
  const { session, parts } = talk;
  const path = resolve(parts.cwd, args === "" ? `conversation-${session.id.slice(0, 8)}.md` : args);
  const text = (await session.history()).flatMap(markdownOf).join("\n\n");
  try {
    await writeFile(path, `${text}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    return talk.notice(
      code === "EEXIST"
        ? `${path} is there already: name another file.`
        : `${path} could not be written (${code}).`,
      "bad",
    );
  }
  talk.notice(`The conversation is in ${path}.`, "good");
}

const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
};

function markdownOf(message: Message): readonly string[] {
  const isSaid: boolean = isHumanMessage(message);
  if (isSaid) return [`## You`, saidText(message)];
  if (message.type === "assistant") {
    return message.message.content.flatMap((block) => {
      if (block.type === "text") return ["## Agent", block.text];
      return block.type === "tool_use" ? [`### ${block.name} ${aboutCall(block.input)}`] : [];
    });
  }
  if (message.type !== "user" || typeof message.message.content === "string") return [];
  return message.message.content.flatMap((block) =>
    block.type === "tool_result" ? [fenced(resultText(block.content))] : [],
  );
}

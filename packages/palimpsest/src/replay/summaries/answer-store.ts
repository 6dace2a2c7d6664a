import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AnswerBlock } from "../../simulator/player.js";
import { replaceFile } from "../../stores/replace-file.js";
import { asFieldsList, asText, isFields } from "../readers/recording.js";

/** Answers of a real model, each in a private file that its request's digest names. */
export interface AnswerStore {
  /** Undefined for what is not there, or is no answer. */
  read(digest: string): Promise<readonly AnswerBlock[] | undefined>;
  write(digest: string, content: readonly AnswerBlock[]): Promise<void>;
}

export function createAnswerStore(folder: string): AnswerStore {
  const pathOf = (digest: string): string => join(folder, `${digest}.json`);
  return {
    async read(digest) {
      const text = await readFile(pathOf(digest), "utf8").catch(() => undefined);
      if (text === undefined) return undefined;
      try {
        const parsed: unknown = JSON.parse(text);
        const content = answerIn(isFields(parsed) ? parsed["content"] : undefined);
        return content.length === 0 ? undefined : content;
      } catch {
        return undefined;
      }
    },
    write: (digest, content) => replaceFile(pathOf(digest), `${JSON.stringify({ content })}\n`),
  };
}

/** Texts and calls; whatever else a model says is of no use to a policy. */
export const answerIn = (content: unknown): readonly AnswerBlock[] =>
  asFieldsList(content).flatMap((block): readonly AnswerBlock[] => {
    if (block["type"] === "text" && asText(block["text"]) !== "") {
      return [{ type: "text", text: asText(block["text"]) }];
    }
    const { name, input } = block;
    return block["type"] === "tool_use" && typeof name === "string" && isFields(input)
      ? [{ type: "tool_use", name, input }]
      : [];
  });

import { isHumanMessage, type Message, type RequestMessage, type UserMessage } from "@palimpsest/core";
import { createContextTexts, type ContextTexts } from "./context-texts.js";
import { collapseSpace } from "./collapse-space.js";
import type { IndexedText } from "./text-index.js";

/** What people said so far in a conversation. One for a conversation, whatever the policies. */
export interface UserWordsJudge {
  /** Takes the human messages among these; those without a text are left out. */
  readonly note: (incoming: readonly Message[]) => void;
  /** How many human messages there were so far. */
  readonly count: number;
  /** For each of them what has to stand in a context word for word, runs of white space as one blank. */
  readonly said: readonly (readonly string[])[];
}

/** Two thousand tokens of three characters. Of a longer text only its beginning and its end have to be there. */
const MAX_CHARACTERS = 6000;
const HEAD_CHARACTERS = 1000;
const TAIL_CHARACTERS = 500;

export function createUserWordsJudge(): UserWordsJudge {
  const said: (readonly string[])[] = [];
  return {
    note: (incoming) => {
      for (const message of incoming) {
        const words = isHumanMessage(message) ? typedTexts(message).flatMap(required) : [];
        if (words.length > 0) said.push(words);
      }
    },
    get count() {
      return said.length;
    },
    said,
  };
}

/** The texts of a human message that a person typed; not what programs put beside them. */
function typedTexts(message: UserMessage): readonly string[] {
  const { content } = message.message;
  if (typeof content === "string") return enteredTexts(content);
  return content.flatMap((block) => {
    if (block?.type !== "text" || typeof block.text !== "string") return [];
    const alone: UserMessage = { ...message, message: { role: "user", content: block.text } };
    return isHumanMessage(alone) ? enteredTexts(block.text) : [];
  });
}

const COMMAND =
  /^\s*<command-message>[^<]*<\/command-message>\s*<command-name>([^<]*)<\/command-name>(?:\s*<command-args>([^]*?)<\/command-args>)?/;

/** A slash command is its name and what was typed behind it: a program wrapped them. Other texts are themselves. */
function enteredTexts(text: string): readonly string[] {
  const [wrapper, name = "", entered = ""] = COMMAND.exec(text) ?? [];
  const parts = wrapper === undefined ? [text] : [name, entered, text.slice(wrapper.length)];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

const required = (text: string): readonly string[] =>
  text.length <= MAX_CHARACTERS
    ? [collapseSpace(text)]
    : [collapseSpace(text.slice(0, HEAD_CHARACTERS)), collapseSpace(text.slice(-TAIL_CHARACTERS))];

/** Says how many of the human messages so far a context holds. One for each policy and conversation. */
export interface UserWordsReader {
  /** Of the messages that the judge noted so far, those that stand in these, whatever their white space. */
  readonly present: (messages: readonly RequestMessage[]) => number;
}

/** Where a text was found, or up to which text of the context it was sought in vain. */
interface Place {
  readonly found?: IndexedText;
  readonly soughtUpTo: number;
}

export function createUserWordsReader(
  judge: Pick<UserWordsJudge, "said">,
  context: ContextTexts = createContextTexts(),
): UserWordsReader {
  const places = new Map<string, Place>();

  return {
    present: (messages) => {
      const texts = context.of(messages);
      const isPresent = (words: string): boolean => {
        const place = places.get(words);
        if ((place?.found?.uses ?? 0) > 0) return true;
        const soughtUpTo = texts.newest();
        const after = place === undefined || place.found !== undefined ? 0 : place.soughtUpTo;
        if (after === soughtUpTo) return false;
        const found = texts.findCollapsed(words, after);
        places.set(words, found === undefined ? { soughtUpTo } : { found, soughtUpTo });
        return found !== undefined;
      };
      return judge.said.filter((words) => words.every(isPresent)).length;
    },
  };
}

import type { AnswerBlock } from "../../simulator/player.js";
import { asFieldsList, asNumber, asText, isFields, type Fields } from "../readers/recording.js";

/** So many characters of a signature, or of redacted thinking, are one token. */
const CHARACTERS_PER_TOKEN = 4.2;
const LONGEST_NAME = 128;
/** As JSON writes what is only half a character. */
const LONE_HALF = /\\ud[89a-f]/;

/**
 * What a piece of a recorded response says, as the simulator plays it. Calls that the provider carried out itself
 * become text, with their results: the simulator has nobody to carry them out.
 */
export const answerBlocks = (content: unknown): readonly AnswerBlock[] =>
  asFieldsList(content).flatMap((block) => answerBlock(block) ?? []);

function answerBlock(block: Fields): AnswerBlock | undefined {
  const type = asText(block["type"]);
  switch (type) {
    case "text":
      return textBlock(asText(block["text"]));
    case "compaction":
      return textBlock(asText(block["content"]));
    case "thinking":
      return thinkingBlock(block);
    case "redacted_thinking":
      return hiddenThinking(asText(block["data"]).length);
    case "tool_use":
      return callBlock(block);
    case "server_tool_use":
    case "mcp_tool_use":
      return textBlock(`[${asText(block["name"])}: ${shown(block["input"])}]`);
    default:
      return type.endsWith("_tool_result") ? textBlock(`[${type}: ${shown(block["content"])}]`) : undefined;
  }
}

const textBlock = (text: string): AnswerBlock | undefined =>
  text.trim() === "" ? undefined : { type: "text", text: wholeCharacters(text) };

function thinkingBlock(block: Fields): AnswerBlock | undefined {
  const thinking = asText(block["thinking"]);
  const characters = asNumber(block["signatureChars"]) || asText(block["signature"]).length;
  return thinking.trim() === ""
    ? hiddenThinking(characters)
    : { type: "thinking", thinking: wholeCharacters(thinking), ...hidden(characters) };
}

const hidden = (characters: number): { readonly hiddenTokens?: number } => {
  const hiddenTokens = Math.round(characters / CHARACTERS_PER_TOKEN);
  return hiddenTokens > 0 ? { hiddenTokens } : {};
};

function hiddenThinking(characters: number): AnswerBlock | undefined {
  const { hiddenTokens } = hidden(characters);
  return hiddenTokens === undefined ? undefined : { type: "thinking", thinking: "", hiddenTokens };
}

function callBlock(block: Fields): AnswerBlock {
  const id = playableId(asText(block["id"]));
  const input = isFields(block["input"]) ? wellFormed(block["input"]) : {};
  return { type: "tool_use", ...(id === "" ? {} : { id }), name: playableName(asText(block["name"])), input };
}

/** Without halves of characters, which cut texts end with: a model never says them. */
const wholeCharacters = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, "\ufffd");

const wellFormed = (input: Fields): Fields =>
  LONE_HALF.test(JSON.stringify(input))
    ? (JSON.parse(JSON.stringify(input), (_, value: unknown) =>
        typeof value === "string" ? wholeCharacters(value) : value,
      ) as Fields)
    : input;

/** An id as the API gives them; other recordings have other characters in theirs. Its result has to be told the same. */
export const playableId = (id: string): string =>
  id.replaceAll(/[^a-zA-Z0-9_-]/g, (char) => `_x${char.charCodeAt(0).toString(16)}`);

/** A name that a tool may have: other recordings allow more than the API does. */
const playableName = (name: string): string =>
  name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, LONGEST_NAME) || "unknown";

/** Without what only the provider can read. */
const shown = (value: unknown): string =>
  JSON.stringify(value ?? null, (key, inner: unknown) => (key.startsWith("encrypted") ? undefined : inner));

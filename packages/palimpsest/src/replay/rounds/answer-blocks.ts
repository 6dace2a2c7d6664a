import { findModel, type TokenizerGeneration } from "@palimpsest/core";
import type { AnswerBlock } from "../../simulator/player.js";
import { asFieldsList, asNumber, asText, isFields, type Fields } from "../readers/recording.js";
import { asSaid } from "./as-sent.js";

/**
 * What a signature, or redacted thinking, tells: after so many characters that every one has, so many are a token. Fitted
 * to the output that the recordings of the set `tuning` report (docs/results.md), where the files of one model agree
 * to 1% (Sonnet 5: 3.84 to 3.90) or 3% (the other newer ones: 3.3 to 3.5). Of other models nothing is known.
 */
const byModel: Readonly<Record<string, SignatureLength>> = {
  "claude-sonnet-5": { frame: 330, charactersPerToken: 3.87 },
};
const byGeneration: Readonly<Record<TokenizerGeneration, SignatureLength>> = {
  newer: { frame: 330, charactersPerToken: 3.43 },
  older: { frame: 225, charactersPerToken: 5.55 },
};
const unknownModel: SignatureLength = { frame: 0, charactersPerToken: 4.2 };

interface SignatureLength {
  readonly frame: number;
  readonly charactersPerToken: number;
}

const LONGEST_NAME = 128;
/** As JSON writes what is only half a character. */
const LONE_HALF = /\\ud[89a-f]/;

/**
 * What a piece of a recorded response says, as the simulator plays it. Calls that the provider carried out itself
 * become text, with their results: the simulator has nobody to carry them out.
 */
export function answerBlocks(content: unknown, model?: unknown): readonly AnswerBlock[] {
  const known = findModel(asText(model));
  const length = known === undefined ? unknownModel : (byModel[known.id] ?? byGeneration[known.tokenizer]);
  return asFieldsList(content).flatMap((block) => answerBlock(block, length) ?? []);
}

function answerBlock(block: Fields, length: SignatureLength): AnswerBlock | undefined {
  const type = asText(block["type"]);
  switch (type) {
    case "text":
      return textBlock(asText(block["text"]));
    case "compaction":
      return textBlock(asText(block["content"]));
    case "thinking":
      return thinkingBlock(block, length);
    case "redacted_thinking":
      return hiddenThinking(asText(block["data"]).length, length);
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

function thinkingBlock(block: Fields, length: SignatureLength): AnswerBlock | undefined {
  const thinking = asText(block["thinking"]);
  const characters = asNumber(block["signatureChars"]) || asText(block["signature"]).length;
  if (thinking.trim() === "") return hiddenThinking(characters, length);
  const hiddenTokens = toldTokens(characters, length);
  return {
    type: "thinking",
    thinking: wholeCharacters(thinking),
    ...(hiddenTokens > 0 ? { hiddenTokens } : {}),
  };
}

function hiddenThinking(characters: number, length: SignatureLength): AnswerBlock | undefined {
  const hiddenTokens = toldTokens(characters, length);
  return hiddenTokens > 0 ? { type: "thinking", thinking: "", hiddenTokens } : undefined;
}

const toldTokens = (characters: number, { frame, charactersPerToken }: SignatureLength): number =>
  characters === 0 ? 0 : Math.max(1, Math.round((characters - frame) / charactersPerToken));

function callBlock(block: Fields): AnswerBlock {
  const id = playableId(asText(block["id"]));
  const name = asText(block["name"]);
  const input = isFields(block["input"]) ? wellFormed(asSaid(name, block["input"])) : {};
  return { type: "tool_use", ...(id === "" ? {} : { id }), name: playableName(name), input };
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

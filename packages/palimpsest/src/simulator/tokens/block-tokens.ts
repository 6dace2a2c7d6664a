import { imageSize, type Model, type TokenizerGeneration } from "@palimpsest/core";
import { asText, isFields, type Fields } from "../fields.js";
import type { TokenCounter } from "./bpe-counter.js";

/** Tokens of the model per token of the tokenizer at hand, and what a tool result costs beside its text. */
const generations: Readonly<Record<TokenizerGeneration, { factor: number; perToolResult: number }>> = {
  newer: { factor: 1.55, perToolResult: 25.8 },
  older: { factor: 1.2, perToolResult: 49 },
};

/** What a message costs beside its blocks. */
export const TOKENS_PER_MESSAGE = 3;
/** The system prompt that the API adds when tools are declared: with a free choice, and with a forced one. */
export const TOOL_PROMPT_TOKENS = { free: 286, forced: 406 } as const;

const SIGNATURE_CHARACTERS_PER_TOKEN = 4.2;
const PDF_PAGE_TEXT_TOKENS = 2000;
const IMAGE_PATCH = 28;

/** Tokens of text in the model's own count. */
export function textTokens(value: string, model: Model, counter: TokenCounter): number {
  return value === "" ? 0 : Math.ceil(counter.count(value) * generations[model.tokenizer].factor);
}

/** Tokens of one block of a prompt: a tool, a system block, or a content block. */
export function blockTokens(block: unknown, model: Model, counter: TokenCounter): number {
  if (!isFields(block)) return 0;
  const count = (value: string): number => textTokens(value, model, counter);
  switch (block["type"]) {
    case "text":
      return count(asText(block["text"]));
    case "image":
      return imageTokens(block, model);
    case "document":
      return documentTokens(block, model, counter);
    case "thinking":
      return thinkingTokens(block, count);
    case "redacted_thinking":
      return signatureTokens(asText(block["data"]));
    case "tool_use":
      return count(`${asText(block["name"])} ${JSON.stringify(block["input"] ?? {})}`) + 10;
    case "tool_result":
      return resultTokens(block, model, counter);
    case "search_result":
      return (
        count(`${asText(block["title"])} ${asText(block["source"])}`) +
        listTokens(block["content"], model, counter)
      );
    case "compaction":
      return count(asText(block["content"]));
    default:
      return count(JSON.stringify(block));
  }
}

function listTokens(list: unknown, model: Model, counter: TokenCounter): number {
  if (typeof list === "string") return textTokens(list, model, counter);
  if (!Array.isArray(list)) return 0;
  return list.reduce<number>((sum, block) => sum + blockTokens(block, model, counter), 0);
}

function resultTokens(block: Fields, model: Model, counter: TokenCounter): number {
  return Math.ceil(listTokens(block["content"], model, counter) + generations[model.tokenizer].perToolResult);
}

/** Thinking counts in full; where its text is left out, the signature tells its length. */
function thinkingTokens(block: Fields, count: (value: string) => number): number {
  const thinking = asText(block["thinking"]);
  return thinking === "" ? signatureTokens(asText(block["signature"])) : count(thinking);
}

const signatureTokens = (signature: string): number =>
  Math.round(signature.length / SIGNATURE_CHARACTERS_PER_TOKEN);

/** How long a signature must be to tell this many tokens. */
export const signatureLength = (tokens: number): number => Math.ceil(tokens * SIGNATURE_CHARACTERS_PER_TOKEN);

/** Patches of 28 pixels after scaling down to the longest edge and the cap of the model. */
function imageTokens(block: Fields, model: Model): number {
  const { maxTokens, maxLongEdge } = model.capabilities.images;
  const source = isFields(block["source"]) ? block["source"] : {};
  const size = source["type"] === "base64" ? imageSize(asText(source["data"])) : undefined;
  if (size === undefined) return maxTokens;
  const scale = Math.min(1, maxLongEdge / Math.max(size.width, size.height, 1));
  const patches = (edge: number): number => Math.max(1, Math.ceil((edge * scale) / IMAGE_PATCH));
  return Math.min(maxTokens, patches(size.width) * patches(size.height));
}

function documentTokens(block: Fields, model: Model, counter: TokenCounter): number {
  const source = isFields(block["source"]) ? block["source"] : {};
  const about = textTokens(`${asText(block["title"])}${asText(block["context"])}`, model, counter);
  switch (source["type"]) {
    case "text":
      return about + textTokens(asText(source["data"]), model, counter);
    case "content":
      return about + listTokens(source["content"], model, counter);
    case "base64":
      return (
        about +
        pdfPages(asText(source["data"])) * (PDF_PAGE_TEXT_TOKENS + model.capabilities.images.maxTokens)
      );
    default:
      return about + PDF_PAGE_TEXT_TOKENS + model.capabilities.images.maxTokens;
  }
}

/** Page objects in the file; a compressed one does not show them and counts by its size. */
function pdfPages(base64: string): number {
  const file = Buffer.from(base64, "base64").toString("latin1");
  const pages = file.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  return Math.max(1, pages, pages === 0 ? Math.ceil(file.length / 100_000) : 0);
}

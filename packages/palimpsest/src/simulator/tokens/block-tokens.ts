import type { Model, TokenizerGeneration } from "@palimpsest/core";
import { imageSize } from "@palimpsest/core/engine";
import { asText, isFields, type Fields } from "../fields.js";
import type { TokenCounter } from "./bpe-counter.js";
import type { TokenKinds } from "./piece-facts.js";

/**
 * How models count whose tokenizers are not public, from what a public one says. Fitted by least squares to the
 * recorded usage of the set `tuning` (docs/results.md): 2,900 equations for older models and 1,500 for newer ones, each
 * what a response had as output, or what a prompt grew by between two responses. Left out were the tenth that no count
 * explains, requests with pictures, and compactions. `otherLetters` is not fitted: the recordings have hardly any.
 */
const generations: Readonly<Record<TokenizerGeneration, Generation>> = {
  newer: {
    weights: {
      words: 1.02,
      joined: 2.03,
      longLetters: 0.42,
      moreTokens: 0.65,
      capitals: 2.9,
      otherLetters: 1.55,
      rest: 1.11,
    },
    factor: 1.55,
    perToolResult: 0,
    perCall: 24,
    perField: 22,
  },
  older: {
    weights: {
      words: 1.04,
      joined: 1.67,
      longLetters: 0.1,
      moreTokens: 0.5,
      capitals: 1.5,
      otherLetters: 1.2,
      rest: 0.93,
    },
    factor: 1.2,
    perToolResult: 13,
    perCall: 36,
    perField: 16.5,
  },
};

interface Generation {
  /** Tokens of the model for each kind that the tokenizer at hand tells apart. */
  readonly weights: Readonly<TokenKinds>;
  /** The same for a counter that only counts: per token of its own, over all that was recorded. */
  readonly factor: number;
  /** What a tool result costs beside its text, and a call and each field of its input beside its values. */
  readonly perToolResult: number;
  readonly perCall: number;
  readonly perField: number;
}

/** What a message costs beside its blocks. */
export const TOKENS_PER_MESSAGE = 3;
/** The system prompt that the API adds when tools are declared: with a free choice, and with a forced one. */
export const TOOL_PROMPT_TOKENS = { free: 286, forced: 406 } as const;

const SIGNATURE_CHARACTERS_PER_TOKEN = 4.2;
/** Characters of a seal of the simulator's without padding. */
const SHORTEST_SIGNATURE = 101;
const PDF_PAGE_TEXT_TOKENS = 2000;
const IMAGE_PATCH = 28;

/** The same for the models of other vendors, as far as their recordings tell: nearly the tokenizer itself. */
const FOREIGN_FACTOR = 1.01;

/** Tokens of the model for a token in the count of another vendor's. */
export const foreignTokenFactor = (model: Model): number =>
  generations[model.tokenizer].factor / FOREIGN_FACTOR;

/** Tokens of text in the model's own count. */
export function textTokens(value: string, model: Model, counter: TokenCounter): number {
  if (value === "") return 0;
  const { weights, factor } = generations[model.tokenizer];
  const kinds = counter.kinds?.(value);
  return Math.ceil(kinds === undefined ? counter.count(value) * factor : weighed(kinds, weights));
}

const weighed = (kinds: Readonly<TokenKinds>, weights: Readonly<TokenKinds>): number =>
  kinds.words * weights.words +
  kinds.joined * weights.joined +
  kinds.longLetters * weights.longLetters +
  kinds.moreTokens * weights.moreTokens +
  kinds.capitals * weights.capitals +
  kinds.otherLetters * weights.otherLetters +
  kinds.rest * weights.rest;

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
      return callTokens(block, model, count);
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

/** The values as they are, not as JSON writes them: models do not say what it escapes. */
function callTokens(block: Fields, model: Model, count: (value: string) => number): number {
  const { perCall, perField } = generations[model.tokenizer];
  const values = isFields(block["input"]) ? Object.values(block["input"]) : [];
  const tokens = values.reduce<number>((sum, value) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    return sum + perField + count(text);
  }, perCall);
  return Math.ceil(tokens);
}

function resultTokens(block: Fields, model: Model, counter: TokenCounter): number {
  return Math.ceil(listTokens(block["content"], model, counter) + generations[model.tokenizer].perToolResult);
}

/**
 * Thinking counts in full. Newer models show a shorter text of it, or none: the signature tells how long it was.
 * One no longer than the simulator's own always are tells nothing.
 */
function thinkingTokens(block: Fields, count: (value: string) => number): number {
  const thinking = asText(block["thinking"]);
  const signature = asText(block["signature"]);
  if (thinking === "") return signatureTokens(signature);
  const told = signature.length > SHORTEST_SIGNATURE ? signatureTokens(signature) : 0;
  return Math.max(count(thinking), told);
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

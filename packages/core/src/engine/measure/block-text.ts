import { cleanJson } from "../../messages/normalise/clean-json.js";
import { asText, isFields, type Fields } from "../../messages/fields.js";
import { imageSize } from "../../messages/image-size.js";

/** What estimators count of a block: the texts that are sent, and everything that has a price of its own. */
export interface BlockParts {
  readonly texts: readonly string[];
  /** Tool results, each of which costs something beside its content. */
  readonly toolResults: number;
  /** Thinking whose text is left out: the length of its signature tells how long it was. */
  readonly signatureCharacters: number;
  readonly images: readonly ({ readonly width: number; readonly height: number } | undefined)[];
  readonly documents: number;
  /** Documents whose text is sent as it is. */
  readonly documentTexts: readonly string[];
}

const nothing: BlockParts = {
  texts: [],
  toolResults: 0,
  signatureCharacters: 0,
  images: [],
  documents: 0,
  documentTexts: [],
};
const onlyText = (text: string): BlockParts => ({ ...nothing, texts: [text] });

/** Takes a block apart, however damaged it is. */
export function partsOf(block: unknown): BlockParts {
  if (typeof block === "string") return onlyText(block);
  if (!isFields(block)) return nothing;
  switch (block["type"]) {
    case "text":
      return onlyText(asText(block["text"]));
    case "image":
      return { ...nothing, images: [pixelsOf(block)] };
    case "document":
      return documentParts(block);
    case "tool_use":
      return onlyText(asText(block["name"]) + json(block["input"]));
    case "tool_result":
      return { ...listParts(block["content"]), toolResults: 1 };
    case "thinking":
      return thinkingParts(block);
    case "redacted_thinking":
      return { ...nothing, signatureCharacters: asText(block["data"]).length };
    case "compaction":
      return onlyText(asText(block["content"]));
    default:
      return onlyText(json(block));
  }
}

function listParts(content: unknown): BlockParts {
  if (typeof content === "string") return onlyText(content);
  if (!Array.isArray(content)) return nothing;
  return content.map(partsOf).reduce(joinParts, nothing);
}

function joinParts(a: BlockParts, b: BlockParts): BlockParts {
  return {
    texts: a.texts.length === 0 ? b.texts : [...a.texts, ...b.texts],
    toolResults: a.toolResults + b.toolResults,
    signatureCharacters: a.signatureCharacters + b.signatureCharacters,
    images: b.images.length === 0 ? a.images : [...a.images, ...b.images],
    documents: a.documents + b.documents,
    documentTexts: b.documentTexts.length === 0 ? a.documentTexts : [...a.documentTexts, ...b.documentTexts],
  };
}

/** Recordings cut signatures short and say how long they were. */
function thinkingParts(block: Fields): BlockParts {
  const thinking = asText(block["thinking"]);
  if (thinking !== "") return onlyText(thinking);
  const recorded = block["signatureChars"];
  const characters = typeof recorded === "number" ? recorded : asText(block["signature"]).length;
  return { ...nothing, signatureCharacters: characters };
}

function documentParts(block: Fields): BlockParts {
  const source = isFields(block["source"]) ? block["source"] : {};
  if (source["type"] === "text") return { ...nothing, documentTexts: [asText(source["data"])] };
  if (source["type"] === "content") return listParts(source["content"]);
  return { ...nothing, documents: 1 };
}

function pixelsOf(block: Fields): BlockParts["images"][number] {
  const source = isFields(block["source"]) ? block["source"] : {};
  return source["type"] === "base64" ? imageSize(asText(source["data"])) : undefined;
}

const json = (value: unknown): string => JSON.stringify(cleanJson(value).value) ?? "";

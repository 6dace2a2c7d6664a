import type { ImageBlock, ToolResultContent } from "@palimpsest/core";
import { isFields, type Fields } from "../base/fields.js";
import type { ToolOutput } from "../base/tool.js";
import { oneLine, plainText } from "../base/plain-text.js";

/** Keeps results within what a context can take: long ones go to a file, and what is left says so. */
export interface ResultSpill {
  readonly fit: (text: string, options: { readonly name: string }) => Promise<string>;
}

export interface ResultOptions {
  /** Of the tool, for the file that a long result goes to. */
  readonly name: string;
  readonly spill: ResultSpill;
  /** Takes the server's keys out of a text. */
  readonly hide: (text: string) => string;
}

const MOST_IMAGES = 20;
/** Five megabytes, as base64. */
const LARGEST_IMAGE = 7_000_000;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

type Part = { readonly text: string } | { readonly image: ImageBlock };

/** A server's answer to a call as a tool's output. Whatever it holds, the result is one that a provider takes. */
export async function readResult(result: unknown, options: ResultOptions): Promise<ToolOutput> {
  const fields = isFields(result) ? result : {};
  const isError = fields["isError"] === true;
  const content: readonly unknown[] = Array.isArray(fields["content"]) ? fields["content"] : [];
  const clean = (text: string): string => options.hide(plainText(text));
  const parts = limitImages(content.map(readPart), isError ? 0 : MOST_IMAGES);
  const hasText = parts.some((part) => "text" in part && clean(part.text).trim() !== "");
  const structured = fields["structuredContent"] ?? legacyResult(fields);
  if (!hasText && structured !== undefined) parts.push({ text: jsonText(structured) });
  const blocks: ToolResultContent[] = [];
  for (const part of joinTexts(parts, clean)) {
    if ("image" in part) blocks.push(part.image);
    else blocks.push({ type: "text", text: await options.spill.fit(part.text, { name: options.name }) });
  }
  const [only] = blocks;
  const output = blocks.length === 1 && only?.type === "text" ? only.text : blocks;
  return {
    content: blocks.length === 0 ? "The tool gave no output." : output,
    ...(isError ? { isError } : {}),
  };
}

/** Servers of the first protocol put anything under one name. */
const legacyResult = (fields: Fields): unknown =>
  fields["content"] === undefined ? fields["toolResult"] : undefined;

function readPart(block: unknown): Part {
  if (!isFields(block)) return { text: jsonText(block) };
  switch (block["type"]) {
    case "text":
      return { text: asText(block["text"]) };
    case "image":
      return readImage(block["data"]) ?? leftOut("image", block);
    case "audio":
      return leftOut("audio", block);
    case "resource":
      return readResource(isFields(block["resource"]) ? block["resource"] : {});
    case "resource_link":
      return { text: describeLink(block) };
    default:
      return { text: jsonText(block) };
  }
}

function readResource(resource: Fields): Part {
  const uri = oneLine(asText(resource["uri"]), 500);
  if (typeof resource["text"] === "string") return { text: `[resource ${uri}]\n${resource["text"]}` };
  return readImage(resource["blob"]) ?? leftOut(`resource ${uri}`, { ...resource, data: resource["blob"] });
}

function describeLink(link: Fields): string {
  const name = oneLine(asText(link["name"]), 200);
  const about = oneLine(asText(link["description"]), 500);
  return `[link to a resource: ${oneLine(asText(link["uri"]), 500)}${name === "" ? "" : ` (${name})`}${about === "" ? "" : `: ${about}`}]`;
}

/** By what the data begins with: a provider refuses a whole request over an image that is not what it says. */
const SIGNATURES: readonly (readonly [type: string, starts: RegExp])[] = [
  ["image/png", /^iVBORw0KGgo/],
  ["image/jpeg", /^\/9j\//],
  ["image/gif", /^R0lGOD[dl]h/],
  ["image/webp", /^UklGR.{7}RUJQ/],
];

function readImage(given: unknown): Part | undefined {
  if (typeof given !== "string" || given.length > LARGEST_IMAGE) return undefined;
  const data = given.replace(/\s+/g, "");
  if (data.length % 4 !== 0) return undefined;
  const type = SIGNATURES.find(([, starts]) => starts.test(data.slice(0, 32)))?.[0];
  if (type === undefined || !BASE64.test(data)) return undefined;
  return { image: { type: "image", source: { type: "base64", media_type: type, data } } };
}

function leftOut(what: string, { mimeType, data }: Fields): Part {
  const type = typeof mimeType === "string" ? `${oneLine(mimeType, 100)}, ` : "";
  const bytes = Math.floor((asText(data).length * 3) / 4).toLocaleString("en-US");
  return { text: `[${what} left out: ${type}${bytes} bytes]` };
}

function limitImages(parts: readonly Part[], most: number): Part[] {
  let images = 0;
  return parts.map((part) => {
    if ("text" in part) return part;
    images += 1;
    return images <= most ? part : { text: "[image left out]" };
  });
}

/** Texts after each other become one; empty ones go. */
function joinTexts(parts: readonly Part[], clean: (text: string) => string): readonly Part[] {
  const joined: Part[] = [];
  let texts: string[] = [];
  const flush = (): void => {
    if (texts.length > 0) joined.push({ text: texts.join("\n") });
    texts = [];
  };
  for (const part of parts) {
    if ("text" in part) {
      const text = clean(part.text);
      if (text.trim() !== "") texts.push(text);
      continue;
    }
    flush();
    joined.push(part);
  }
  flush();
  return joined;
}

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return "[a value that cannot be shown]";
  }
}

import type { UserBlock } from "@palimpsest/core";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A line of the input that is not what it has to be. */
export class InputError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line} of the input ${problem}`);
    this.name = "InputError";
  }
}

export type Prompt = string | readonly UserBlock[];

/**
 * One prompt for each line `{"type":"user","message":{"role":"user","content":…}}`. Ends with the input, or when the
 * signal says so.
 */
export async function* readPrompts(input: Readable, signal: AbortSignal): AsyncGenerator<Prompt> {
  if (signal.aborted) return;
  let line = 0;
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal });
  for await (const text of lines) {
    line += 1;
    if (text.trim() !== "") yield promptOf(text, line);
  }
}

function promptOf(text: string, line: number): Prompt {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError(line, "is not JSON");
  }
  const { type, message } = fieldsOf(value);
  const { content } = fieldsOf(message);
  if (type !== "user") throw new InputError(line, 'must have the type "user"');
  if (typeof content === "string" && content.trim() !== "") return content;
  if (!Array.isArray(content) || content.length === 0) throw new InputError(line, "has no message.content");
  if (!content.every(isBlock)) {
    throw new InputError(line, "has content other than texts, images and documents with their source");
  }
  return content as readonly UserBlock[];
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** A block that the API takes: one that it does not would be refused with every later request too. */
function isBlock(block: unknown): boolean {
  const { type, text, source } = fieldsOf(block);
  if (type === "text") return typeof text === "string" && text.trim() !== "";
  if (type !== "image" && type !== "document") return false;
  const from = fieldsOf(source);
  switch (from["type"]) {
    case "base64":
      return isText(from["media_type"]) && isText(from["data"]);
    case "url":
      return isText(from["url"]);
    case "file":
      return isText(from["file_id"]);
    case "text":
      return type === "document" && isText(from["data"]);
    default:
      return false;
  }
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

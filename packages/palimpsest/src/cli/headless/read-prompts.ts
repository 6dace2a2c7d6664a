import type { UserBlock } from "@palimpsest/core";
import { isTooDeep } from "@palimpsest/core/engine";
import type { Readable } from "node:stream";
import type { Fields } from "../../agent/base/fields.js";
import { MOST_INPUT_BYTES } from "./read-piped.js";

/** A line of the input that is not what it has to be. */
export class InputError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line} of the input ${problem}`);
    this.name = "InputError";
  }
}

/** What the agent is asked. */
export interface Prompt {
  readonly content: string | readonly UserBlock[];
  /** What came through a pipe beside it: data, in which no file is named and no command given. */
  readonly piped?: string;
  /** It stays word for word through every compaction. */
  readonly isPinned?: boolean;
}

/** Who hears the lines between the prompts, by which a program steers the session. */
export interface ControlLines {
  /** Whether it is such a line. Throws an error whose message is the rest of a sentence about the line. */
  readonly take: (fields: Fields) => boolean;
  /** A prompt was read and waits for its turn. */
  readonly queued: () => void;
  /** Whether an answer is waited for, which can only come from the input. */
  readonly isAsking: () => boolean;
  /** Says when that may have changed. */
  readonly onAsking: (listener: () => void) => void;
  /** Nothing more will come. */
  readonly ended: () => void;
}

/** Prompts that are read ahead, where lines between them may steer the session. */
const MOST_WAITING = 1000;

type Read = { readonly prompt: Prompt } | { readonly error: unknown } | "end";

/**
 * One prompt for each line `{"type":"user","message":{"role":"user","content":…}}`. Ends with the input, or when the
 * signal says so. With `control` the input is read on while a prompt is answered.
 */
export async function* readPrompts(
  input: Readable,
  signal: AbortSignal,
  control?: ControlLines,
): AsyncGenerator<Prompt> {
  const waiting: Read[] = [];
  let wakeReader = (): void => {};
  let wakePump = (): void => {};
  control?.onAsking(() => wakePump());
  const push = (read: Read): void => {
    waiting.push(read);
    wakeReader();
  };
  const isFull = (): boolean =>
    waiting.length >= (control === undefined ? 1 : MOST_WAITING) && control?.isAsking() !== true;

  async function pump(): Promise<void> {
    let line = 0;
    try {
      for await (const text of linesOf(input, signal)) {
        line += 1;
        if (text.trim() === "") continue;
        const fields = parseLine(text, line);
        if (isControl(fields, line, control)) continue;
        push({ prompt: promptOf(fields, line) });
        control?.queued();
        while (isFull()) await new Promise<void>((resolve) => (wakePump = resolve));
      }
      push("end");
    } catch (error) {
      push({ error });
    }
    control?.ended();
  }

  const pumping = pump();
  try {
    while (true) {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wakeReader = resolve));
      const next = waiting.shift();
      wakePump();
      if (next === undefined || next === "end") return;
      if ("error" in next) throw next.error;
      yield next.prompt;
    }
  } finally {
    // What is left in the input is nobody's any more.
    input.destroy();
    wakePump();
    waiting.length = 0;
    await pumping;
  }
}

function isControl(fields: Fields, line: number, control: ControlLines | undefined): boolean {
  try {
    return control?.take(fields) ?? false;
  } catch (error) {
    throw new InputError(line, error instanceof Error ? error.message : String(error));
  }
}

/** Lines as they come, and no more of the input than somebody asks for. Throws for one that does not end. */
async function* linesOf(input: Readable, signal: AbortSignal): AsyncGenerator<string> {
  if (signal.aborted) return;
  const stop = (): void => void input.destroy();
  signal.addEventListener("abort", stop);
  let parts: Buffer[] = [];
  let bytes = 0;
  let count = 0;
  const take = (): string => {
    const text = Buffer.concat(parts).toString("utf8");
    parts = [];
    bytes = 0;
    count += 1;
    return text;
  };
  try {
    for await (const chunk of input) {
      const piece = Buffer.from(chunk as Buffer | string);
      let from = 0;
      for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
        parts.push(piece.subarray(from, end));
        from = end + 1;
        yield take();
      }
      parts.push(piece.subarray(from));
      bytes += piece.length - from;
      if (bytes > MOST_INPUT_BYTES) {
        throw new InputError(count + 1, `is longer than ${MOST_INPUT_BYTES / 1024 / 1024} MiB`);
      }
    }
    if (bytes > 0) yield take();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function parseLine(text: string, line: number): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError(line, "is not JSON");
  }
  if (isTooDeep(value)) throw new InputError(line, "is nested too deeply");
  return fieldsOf(value);
}

function promptOf({ type, message, pin = false }: Fields, line: number): Prompt {
  const { content } = fieldsOf(message);
  if (type !== "user") throw new InputError(line, 'must have the type "user"');
  if (typeof pin !== "boolean") throw new InputError(line, "has a pin that is not true or false");
  const pinned = pin ? { isPinned: true } : {};
  if (typeof content === "string" && content.trim() !== "") return { content, ...pinned };
  if (!Array.isArray(content) || content.length === 0) throw new InputError(line, "has no message.content");
  if (!content.every(isBlock)) {
    throw new InputError(line, "has content other than texts, images and documents with their source");
  }
  return { content: content as readonly UserBlock[], ...pinned };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

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

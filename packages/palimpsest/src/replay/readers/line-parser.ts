import type { DamagedLine } from "@palimpsest/core";
import { isTooDeep } from "@palimpsest/core/engine";
import { isFields, type RecordedLine } from "./recording.js";

const LINE_BREAK = 10;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Where a line begins. */
export interface LineStart {
  /** Counted from 1. */
  readonly line: number;
  readonly offset: number;
}

/** Cuts bytes that come in chunks of any size into lines, and parses each of them. */
export class LineParser {
  readonly #damaged: DamagedLine[] = [];
  /** The beginning of a line whose end has not come yet. */
  #rest: Uint8Array[] = [];
  #line: number;
  #offset: number;
  #torn: DamagedLine | undefined;

  /** `start` is where the first of the bytes stands in its file. */
  constructor(start: LineStart = { line: 1, offset: 0 }) {
    this.#line = start.line;
    this.#offset = start.offset;
  }

  /** Lines that could not be parsed, so far. */
  get damaged(): readonly DamagedLine[] {
    return this.#damaged;
  }

  /** Where the line starts that has not come to its end yet. */
  get offset(): number {
    return this.#offset;
  }

  /** The number of that line. */
  get line(): number {
    return this.#line;
  }

  /** A last line that a crash cut off; known when the end was told. */
  get torn(): DamagedLine | undefined {
    return this.#torn;
  }

  /** The lines that this chunk completes. The chunk may be used for something else afterwards. */
  push(chunk: Uint8Array): readonly RecordedLine[] {
    const lines: RecordedLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, from)) {
      const bytes = this.#whole(chunk.subarray(from, at));
      const parsed = this.#parse(bytes);
      if (parsed !== undefined && "value" in parsed) lines.push(parsed);
      else if (parsed !== undefined) this.#damaged.push(parsed);
      this.#line += 1;
      this.#offset += bytes.length + 1;
      from = at + 1;
    }
    if (from < chunk.length) this.#rest.push(chunk.slice(from));
    return lines;
  }

  /** The last line, where no line break ends it. */
  end(): readonly RecordedLine[] {
    const parsed = this.#parse(this.#whole(new Uint8Array()));
    if (parsed === undefined) return [];
    if ("value" in parsed) return [parsed];
    this.#torn = parsed;
    return [];
  }

  #whole(last: Uint8Array): Uint8Array {
    if (this.#rest.length === 0) return last;
    const bytes = Buffer.concat([...this.#rest, last]);
    this.#rest = [];
    return bytes;
  }

  /** Undefined for a blank line. */
  #parse(bytes: Uint8Array): RecordedLine | DamagedLine | undefined {
    const parsed = parseObject(bytes);
    if (parsed === undefined) return undefined;
    const start = { line: this.#line, offset: this.#offset };
    return "value" in parsed ? { ...start, bytes: bytes.length, ...parsed } : { ...start, ...parsed };
  }
}

type Parsed = { readonly value: RecordedLine["value"] } | { readonly reason: string } | undefined;

/** One JSON document over many lines; a list of messages as the object that has them as its `messages`. */
export const parseDocument = (bytes: Uint8Array): Parsed =>
  parseJson(bytes, (value) => (Array.isArray(value) ? { messages: value } : value));

/** One JSON object, or why the bytes are none; undefined where they are blank. */
const parseObject = (bytes: Uint8Array): Parsed => parseJson(bytes, (value) => value);

function parseJson(bytes: Uint8Array, as: (value: unknown) => unknown): Parsed {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { reason: "not valid UTF-8" };
  }
  if (text.trim() === "") return undefined;
  try {
    const value = as(JSON.parse(text));
    if (!isFields(value)) return { reason: "not a JSON object" };
    return isTooDeep(value) ? { reason: "nested too deeply" } : { value };
  } catch {
    return { reason: "not valid JSON" };
  }
}

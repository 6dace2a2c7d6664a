import type { ModelRequest } from "@palimpsest/core";
import { originOf } from "@palimpsest/core/engine";

/** The bytes of a request, in pieces that are sent one after the other and never change. */
export type RequestPieces = readonly Uint8Array[];

/** Turns requests into bytes; what a list says that its maker will never change is written and kept once. */
export type PieceEncoder = (request: ModelRequest) => RequestPieces;

const FIRST_BYTES = 65_536;

/**
 * The bytes that `JSON.stringify` would give. A conversation says nearly all of its messages again in every request: those that
 * the normaliser has settled are made into bytes once, so that a request costs what is new in it. Throws what `JSON.stringify`
 * throws.
 */
export function createPieceEncoder(): PieceEncoder {
  const beginnings = new WeakMap<object, SettledBytes>();
  const kept = new Map<string, { readonly list: readonly unknown[]; readonly text: string }>();
  /** A field as it stands in an object; empty where it is left out there. */
  const written = (name: string, value: unknown): string => {
    const known = kept.get(name);
    if (known !== undefined && areSame(known.list, value)) return known.text;
    const text = JSON.stringify({ [name]: value }).slice(1, -1);
    if (KEPT.has(name) && Array.isArray(value)) kept.set(name, { list: [...value], text });
    return text;
  };
  const listOf = (fields: readonly (readonly [name: string, value: unknown])[]): readonly string[] =>
    fields.map(([name, value]) => written(name, value)).filter((text) => text !== "");
  return (request) => {
    const messages: unknown = request.messages;
    const entries = Object.entries(request);
    const at = entries.findIndex(([name]) => name === "messages");
    const origin = Array.isArray(messages) ? originOf(messages) : undefined;
    if (!Array.isArray(messages) || at === -1 || origin === undefined)
      return [Buffer.from(JSON.stringify(request))];
    const end = ["]", ...listOf(entries.slice(at + 1))].join(",") + "}";
    const start = Buffer.from(`{${[...listOf(entries.slice(0, at)), '"messages":['].join(",")}`);
    const settled = Math.min(origin.settled, messages.length - 1);
    if (settled <= 0) return [start, Buffer.from(`${listed(messages)}${end}`)];
    const beginning = beginnings.get(origin.maker) ?? new SettledBytes();
    beginnings.set(origin.maker, beginning);
    const rest = Buffer.from(`${listed(messages.slice(settled))}${end}`);
    return [start, beginning.of(messages, settled), rest];
  };
}

/** Fields in which a conversation never changes anything in place: it hands on other things. */
const KEPT: ReadonlySet<string> = new Set(["tools", "system"]);

const areSame = (before: readonly unknown[], now: unknown): boolean =>
  Array.isArray(now) && now.length === before.length && before.every((item, at) => item === now[at]);

const listed = (messages: readonly unknown[]): string =>
  messages.map((message) => JSON.stringify(message) ?? "null").join(",");

/** The messages that one maker has settled, each with a comma after it. Bytes that were handed out are never written again. */
class SettledBytes {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Where the bytes of each message end. */
  readonly #ends: number[] = [];

  of(messages: readonly unknown[], count: number): Uint8Array {
    for (let index = this.#ends.length; index < count; index += 1) this.#add(listed([messages[index]]));
    return this.#bytes.subarray(0, this.#ends[count - 1]);
  }

  #add(text: string): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + Buffer.byteLength(text) + 1;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, start));
      this.#bytes = larger;
    }
    this.#bytes.write(`${text},`, start);
    this.#ends.push(end);
  }
}

/**
 * A request in pieces as the body of a `fetch` that knows of it (`PieceFetch`). It is bytes, so that a client of the SDK hands it
 * on as it is; anybody else would send nothing.
 */
export class PiecedBody extends Uint8Array {
  readonly pieces: RequestPieces;

  constructor(pieces: RequestPieces) {
    super(0);
    this.pieces = pieces;
  }
}

/** A `fetch` that sends the pieces of a `PiecedBody`. */
export type PieceFetch = typeof fetch & { readonly sendsPieces: true };

export const sendsPieces = (send: typeof fetch | undefined): boolean =>
  send !== undefined && "sendsPieces" in send && send.sendsPieces === true;

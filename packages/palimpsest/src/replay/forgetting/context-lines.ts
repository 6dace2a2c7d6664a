import type { RequestMessage } from "@palimpsest/core";
import { asFieldsList, asText, type Fields } from "../readers/recording.js";
import { requestTexts } from "../measures/shown-texts.js";
import { callPieces } from "./call-pieces.js";
import type { FileNames } from "./file-names.js";
import { lineKeys } from "./lines.js";
import { callSource, fileSource } from "./sources.js";

/** Finds in texts what is looked for. One for a conversation: policies send the same texts. */
export interface LineFinder {
  /** Of what is looked for, what stands in a message: lines, and files whose calls stand there. */
  readonly foundIn: (message: RequestMessage) => readonly number[];
  readonly foundInText: (text: string) => readonly number[];
}

const MOST_CHARACTERS = 32_000_000;

/** `wanted`: keys of lines and of files. */
export function createLineFinder(wanted: ReadonlySet<number>, names: FileNames): LineFinder {
  let young = new Map<string, readonly number[]>();
  let old = new Map<string, readonly number[]>();
  let characters = 0;
  const messages = new WeakMap<RequestMessage, readonly number[]>();

  const foundInText = (text: string): readonly number[] => {
    let found = young.get(text);
    if (found !== undefined) return found;
    found = old.get(text) ?? lineKeys(text).filter((key) => wanted.has(key));
    young.set(text, found);
    characters += text.length;
    if (characters > MOST_CHARACTERS) {
      old = young;
      young = new Map();
      characters = 0;
    }
    return found;
  };

  /** What `requestTexts` leaves out or does not take apart: calls by their files and patches, and thinking. */
  const foundInBlock = (block: Fields): readonly number[] => {
    if (block["type"] === "thinking") return foundInText(asText(block["thinking"]));
    if (block["type"] !== "tool_use") return [];
    const { name, input } = block as { readonly name: unknown; readonly input: unknown };
    const pieces = callPieces(input);
    const own = callSource({ name: asText(name), input: (input ?? {}) as Fields, block: 0 }, names);
    const files = pieces.flatMap(({ path, directory }) =>
      path === undefined ? [] : [fileSource(path, directory ?? "", names).key],
    );
    return [
      ...[own.key, ...files].filter((key) => wanted.has(key)),
      ...pieces.flatMap(({ text }) => foundInText(text)),
    ];
  };

  return {
    foundInText,
    foundIn(message) {
      let found = messages.get(message);
      if (found === undefined) {
        found = [
          ...requestTexts(message).flatMap(foundInText),
          ...asFieldsList(message.content).flatMap(foundInBlock),
        ];
        messages.set(message, found);
      }
      return found;
    },
  };
}

/** What of that which is looked for stands in the context that a policy last gave the model. */
export interface ContextLines {
  /** Costs what is new since the last call. `system`: the texts before the messages. */
  readonly of: (messages: readonly RequestMessage[], system: readonly string[]) => ContextLookup;
}

export interface ContextLookup {
  readonly has: (key: number) => boolean;
}

export function createContextLines(finder: LineFinder): ContextLines {
  const counts = new Map<number, number>();
  let shown: readonly (readonly number[])[] = [];

  const change = (found: readonly number[], by: 1 | -1): void => {
    for (const key of found) {
      const count = (counts.get(key) ?? 0) + by;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    }
  };

  return {
    of(messages, system) {
      const now = messages.map(finder.foundIn);
      for (const text of system) now.push(finder.foundInText(text));
      for (const [place, found] of now.entries()) {
        if (found === shown[place]) continue;
        change(found, 1);
        change(shown[place] ?? [], -1);
      }
      for (const found of shown.slice(now.length)) change(found, -1);
      shown = now;
      return { has: (key) => counts.has(key) };
    },
  };
}

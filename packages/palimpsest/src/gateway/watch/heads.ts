import { createHash } from "node:crypto";
import { hashValue } from "@palimpsest/core/engine";
import { sameJson } from "@palimpsest/core/tree";
import { comparable, headParts, type PromptPart } from "./prompt-parts.js";

type Fields = Readonly<Record<string, unknown>>;

/** What tells a conversation from a side question that begins with the same words. */
type Shape = readonly [model: string, system: string, tools: string];

/** Model, system prompt and tools of a request. What is the same is one object, however many lines have it. */
export interface Head {
  readonly key: string;
  readonly fields: Fields;
  readonly shape: Shape;
  readonly parts: readonly PromptPart[];
  readonly characters: number;
}

export interface Heads {
  /** That of a request. `likely` ones are compared with it, so that it need not be hashed. */
  of(request: Fields, likely: readonly Head[]): Head;
  /** One line more has it; it is remembered until as many have left it. */
  hold(head: Head): void;
  release(head: Head): void;
  /** Of all that are held. */
  readonly characters: number;
}

const NAMES = ["model", "system", "tools"] as const;

export function createHeads(): Heads {
  const held = new Map<string, { readonly head: Head; lines: number }>();
  let characters = 0;
  return {
    of(request, likely) {
      const known = likely.find(({ fields }) => NAMES.every((name) => sameJson(fields[name], request[name])));
      if (known !== undefined) return known;
      const fields = Object.fromEntries(
        NAMES.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])),
      );
      const text = JSON.stringify(fields);
      const key = createHash("sha256").update(text).digest("hex");
      const parts = headParts(request);
      return (
        held.get(key)?.head ?? { key, fields, shape: shapeOf(request, parts), parts, characters: text.length }
      );
    },
    hold(head) {
      const known = held.get(head.key);
      if (known !== undefined) {
        known.lines += 1;
        return;
      }
      held.set(head.key, { head, lines: 1 });
      characters += head.characters;
    },
    release({ key }) {
      const known = held.get(key);
      if (known === undefined) return;
      known.lines -= 1;
      if (known.lines > 0) return;
      held.delete(key);
      characters -= known.head.characters;
    },
    get characters() {
      return characters;
    },
  };
}

function shapeOf(request: Fields, parts: readonly PromptPart[]): Shape {
  const hashOf = (kind: PromptPart["kind"]): string =>
    hashValue(parts.filter((part) => part.kind === kind).map(comparable));
  return [hashValue(request["model"] ?? ""), hashOf("system"), hashOf("tool")];
}

/** A place in a text, both counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

const value =
  /(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const blank = /[ \t\r\n]*/y;

/**
 * Where a text stops being JSON; undefined for one that is. The runtime's own messages quote the text, which may
 * hold secrets, and do not always name a place.
 */
export function findJsonFault(text: string): TextPlace | undefined {
  const open: ("{" | "[")[] = [];
  let at = 0;
  let expects: "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" = "value";
  const take = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0].length ?? 0;
  };
  for (;;) {
    at += take(blank);
    const character = text[at];
    const inner = open.at(-1);
    if (expects === "comma-or-end" && inner === undefined)
      return at < text.length ? placeOf(text, at) : undefined;
    if (character === undefined) return placeOf(text, at);
    const isEnd = (character === "}" && inner === "{") || (character === "]" && inner === "[");
    if (isEnd && expects.endsWith("-end")) {
      open.pop();
      expects = "comma-or-end";
      at += 1;
    } else if (expects === "comma-or-end") {
      if (character !== ",") return placeOf(text, at);
      expects = inner === "{" ? "key" : "value";
      at += 1;
    } else if (expects === "colon") {
      if (character !== ":") return placeOf(text, at);
      expects = "value";
      at += 1;
    } else if (expects.startsWith("key")) {
      const length = character === '"' ? take(value) : 0;
      if (length === 0) return placeOf(text, at);
      expects = "colon";
      at += length;
    } else if (character === "{" || character === "[") {
      open.push(character);
      expects = character === "{" ? "key-or-end" : "value-or-end";
      at += 1;
    } else {
      const length = take(value);
      if (length === 0) return placeOf(text, at);
      expects = "comma-or-end";
      at += length;
    }
  }
}

function placeOf(text: string, at: number): TextPlace {
  const before = text.slice(0, at);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - start + 1 };
}

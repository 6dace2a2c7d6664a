export type ParsedJson =
  | { readonly kind: "json"; readonly value: unknown }
  /** What is wrong and where, as the API's parser words it. */
  | { readonly kind: "fault"; readonly problem: string };

/**
 * Parses a request body as the API does: strict JSON, in which half of a surrogate pair is an error although
 * `JSON.parse` lets it pass.
 */
export function parseJson(text: string): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { position, problem } = locateFault(text);
    return { kind: "fault", problem: `${problem}: ${place(text, position)}` };
  }
  const surrogate = locateSurrogate(text);
  if (surrogate === undefined) return { kind: "json", value };
  return { kind: "fault", problem: `${surrogate.problem}: ${place(text, surrogate.position)}` };
}

function place(text: string, position: number): string {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let at = before.indexOf("\n"); at >= 0; at = before.indexOf("\n", at + 1)) line += 1;
  return `line ${line} column ${position - lineStart + 1} (char ${position})`;
}

interface Located {
  readonly position: number;
  readonly problem: string;
}

/** In valid JSON, where an escape names half of a pair only. */
function locateSurrogate(text: string): Located | undefined {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return undefined;
  let second = -1;
  for (const match of text.matchAll(/\\(?:u([0-9a-fA-F]{4})|.)/gs)) {
    const code = Number.parseInt(match[1] ?? "0", 16);
    const position = match.index;
    if (code < 0xd800 || code > 0xdfff || position === second) continue;
    if (code >= 0xdc00) return { position, problem: "invalid high surrogate in string" };
    const next = /^\\u([0-9a-fA-F]{4})$/.exec(text.slice(position + 6, position + 12))?.[1];
    if (next === undefined) return { position, problem: "no low surrogate in string" };
    if (!/^d[c-f]/i.test(next)) return { position, problem: "invalid low surrogate in string" };
    second = position + 6;
  }
  return undefined;
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isWordCharacter = (code: number): boolean => code >= 97 && code <= 122;

type Expected = "value" | "first-item" | "key" | "first-key" | "colon" | "separator" | "end";

/** Where a text stops being JSON. Without recursion: the text may be nested as deeply as it is long. */
function locateFault(text: string): Located {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let position = 0;
  const fault = (problem: string): Located => ({ position, problem });
  const afterValue = (): Expected => (open.length === 0 ? "end" : "separator");
  for (;;) {
    while (position < text.length && isSpace(text.charCodeAt(position))) position += 1;
    const char = text[position];
    if (char === undefined) {
      return fault(text.length === 0 ? "Input is a zero-length, empty document" : "unexpected end of data");
    }
    if (expected === "end") return fault("unexpected content after document");
    const closes = char === "}" ? "{" : char === "]" ? "[" : undefined;
    if (closes !== undefined) {
      const allowed = expected === "separator" || expected === (closes === "{" ? "first-key" : "first-item");
      if (!allowed || open.at(-1) !== closes) {
        const trailing = open.at(-1) === closes && expected === (closes === "{" ? "key" : "value");
        return fault(trailing ? "trailing comma is not allowed" : "unexpected character");
      }
      open.pop();
      position += 1;
      expected = afterValue();
    } else if (expected === "separator") {
      if (char !== ",") return fault("unexpected character");
      expected = open.at(-1) === "{" ? "key" : "value";
      position += 1;
    } else if (expected === "colon") {
      if (char !== ":") return fault("unexpected character");
      expected = "value";
      position += 1;
    } else if (char === '"') {
      const end = scanString(text, position);
      if (typeof end !== "number") return end;
      position = end;
      if (expected === "key" || expected === "first-key") expected = "colon";
      else expected = afterValue();
    } else if (expected === "key" || expected === "first-key") {
      return fault("unexpected character");
    } else if (char === "{" || char === "[") {
      open.push(char);
      expected = char === "{" ? "first-key" : "first-item";
      position += 1;
    } else {
      const end = scanScalar(text, position);
      if (typeof end !== "number") return end;
      position = end;
      expected = afterValue();
    }
  }
}

/** The position after the string that starts here. */
function scanString(text: string, start: number): number | Located {
  for (let position = start + 1; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === 34) return position + 1;
    if (code < 32) return { position, problem: "unexpected control character in string" };
    if (code !== 92) continue;
    const escaped = text[position + 1];
    if (escaped === undefined) break;
    if (escaped === "u") {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(position + 2, position + 6))) {
        return { position, problem: "invalid escaped sequence in string" };
      }
      position += 5;
    } else if ('"\\/bfnrt'.includes(escaped)) {
      position += 1;
    } else {
      return { position, problem: "invalid escaped character in string" };
    }
  }
  return { position: text.length, problem: "unexpected end of data" };
}

/** The position after the number or literal that starts here. */
function scanScalar(text: string, start: number): number | Located {
  let position = start;
  const digits = (): boolean => {
    const from = position;
    while (isDigit(text.charCodeAt(position))) position += 1;
    return position > from;
  };
  if (!isDigit(text.charCodeAt(start)) && text[start] !== "-") {
    while (isWordCharacter(text.charCodeAt(position))) position += 1;
    const word = text.slice(start, Math.min(position, start + 6));
    if (word === "true" || word === "false" || word === "null") return position;
    return { position: start, problem: word === "" ? "unexpected character" : "invalid literal" };
  }
  if (text[position] === "-") position += 1;
  const first = position;
  if (!digits()) return { position, problem: "no digit after minus sign" };
  if (text[first] === "0" && position > first + 1) {
    return { position: first, problem: "number with leading zero is not allowed" };
  }
  if (text[position] === ".") {
    position += 1;
    if (!digits()) return { position, problem: "no digit after decimal point" };
  }
  if (text[position] === "e" || text[position] === "E") {
    position += 1;
    if (text[position] === "+" || text[position] === "-") position += 1;
    if (!digits()) return { position, problem: "no digit after exponent sign" };
  }
  return position;
}

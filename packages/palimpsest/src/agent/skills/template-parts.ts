/** A piece of a skill's text: words, or a command whose output is to stand in its place. */
export interface TemplatePart {
  readonly kind: "text" | "command";
  readonly text: string;
}

const inline = /(?<=^|\s)!`([^`\n]+)`/g;
const FENCE = "```";
const isOpening = (line: string): boolean => line.startsWith(FENCE) && line.slice(3).trim() === "!";
const isClosing = (line: string): boolean => line.startsWith(FENCE) && line.slice(3).trim() === "";

/**
 * Takes a text apart: `` !`command` `` at the beginning of a line or after a blank, and blocks that begin with
 * ` ```! `. One that is not closed is words. In one pass over the lines.
 */
export function templateParts(body: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let words = "";
  const command = (text: string): void => {
    if (words !== "") parts.push({ kind: "text", text: words });
    words = "";
    parts.push({ kind: "command", text });
  };
  // Most texts hold none.
  const lines = /!`|```!/.test(body) ? body.split("\n") : [body];
  const lastClosing = lines.findLastIndex(isClosing);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (at < lastClosing && isOpening(line)) {
      const first = at + 1;
      while (!isClosing(lines[(at += 1)] ?? ""));
      const text = lines.slice(first, at).join("\n").trim();
      if (text !== "") command(text);
      words += at === lines.length - 1 ? "" : "\n";
      continue;
    }
    let from = 0;
    for (const found of line.includes("!`") ? line.matchAll(inline) : []) {
      const text = (found[1] ?? "").trim();
      if (text === "") continue;
      words += line.slice(from, found.index);
      command(text);
      from = found.index + found[0].length;
    }
    words += line.slice(from) + (at === lines.length - 1 ? "" : "\n");
  }
  if (words !== "") parts.push({ kind: "text", text: words });
  return parts;
}

/** The commands in a text, as they are written. */
export const shellCommandsIn = (body: string): readonly string[] =>
  templateParts(body).flatMap(({ kind, text }) => (kind === "command" ? [text] : []));

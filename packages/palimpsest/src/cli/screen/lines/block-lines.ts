import type { AnswerBlock, OpenBlock } from "../state/answer-blocks.js";
import { calmText } from "../text/shown-text.js";
import { cutPieces } from "../text/width.js";
import type { Look } from "./look.js";
import { markdownLines } from "./markdown-lines.js";

const INDENT = "  ";

const codeLines = (source: string, { width, theme }: Look): readonly string[] =>
  source === ""
    ? []
    : source
        .replace(/\n$/, "")
        .split("\n")
        .flatMap((line) => cutPieces(line, Math.max(1, width - INDENT.length)))
        .map(({ line }) => (line === "" ? "" : `${INDENT}${theme.code(line)}`));

/** A part of an answer as lines. */
export function blockLines(block: AnswerBlock, look: Look): readonly string[] {
  const { width, theme } = look;
  const source = calmText(block.source);
  switch (block.kind) {
    case "text":
      return textLines(source, look);
    case "raw":
      return cutPieces(source.trimEnd(), width).map(({ line }) => line);
    case "code":
      return [
        ...(block.opening === undefined ? [] : [theme.dim(block.opening)]),
        ...codeLines(source, look),
        ...(block.isClosed ? [theme.dim("```")] : []),
      ];
  }
}

/** What stands deeper belongs to the item of a list before it. */
function textLines(source: string, look: Look): readonly string[] {
  const indent = /^ {2,8}/.exec(source)?.[0] ?? "";
  if (indent === "") return markdownLines(source, look);
  const inner = source
    .split("\n")
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join("\n");
  return markdownLines(inner, { ...look, width: look.width - indent.length }).map((line) =>
    line === "" ? "" : `${indent}${line}`,
  );
}

/** The open part as lines. */
export function openLines(open: OpenBlock, look: Look): readonly string[] {
  if (open.kind === "code") {
    const { opening } = open;
    return blockLines(
      { kind: "code", source: open.source, isClosed: false, ...(opening === undefined ? {} : { opening }) },
      look,
    );
  }
  return blockLines({ kind: open.kind, source: open.source }, look);
}

export interface Spill {
  readonly lines: readonly string[];
  /** Of the source. */
  readonly characters: number;
}

/**
 * The beginning of an open part that has outgrown its room: at least so many lines, which never change again, for they are
 * cut from what cannot change. Undefined where there are not so many.
 */
export function spillLines(open: OpenBlock, atLeast: number, look: Look): Spill | undefined {
  if (open.kind === "code") {
    const lines: string[] = open.opening === undefined ? [] : [look.theme.dim(open.opening)];
    let characters = 0;
    for (
      let end = open.source.indexOf("\n");
      end >= 0 && lines.length < atLeast;
      end = open.source.indexOf("\n", characters)
    ) {
      const line = open.source.slice(characters, end);
      lines.push(...(line === "" ? [""] : codeLines(calmText(line), look)));
      characters = end + 1;
    }
    if (lines.length >= atLeast && characters > 0) return { lines, characters };
  }
  // One line that is longer than the screen, or words: cut where they would be wrapped.
  const indent = open.kind === "code" ? INDENT : "";
  const opening = open.kind === "code" && open.opening !== undefined ? [look.theme.dim(open.opening)] : [];
  const pieces = cutPieces(open.source, Math.max(1, look.width - indent.length)).slice(0, -1);
  const taken = pieces.slice(0, Math.max(1, atLeast));
  const characters = taken.at(-1)?.end;
  if (characters === undefined) return undefined;
  const paint = open.kind === "code" ? look.theme.code : (text: string) => text;
  return {
    lines: [...opening, ...taken.map(({ line }) => (line === "" ? "" : indent + paint(calmText(line))))],
    characters,
  };
}

import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** Columns that a line takes. */
export const widthOf = (line: string): number => visibleWidth(line);

/** At most so many columns of a line, with a mark where something is missing. */
export const cutLine = (line: string, width: number): string =>
  visibleWidth(line) <= width ? line : truncateToWidth(line, Math.max(1, width), "…");

/** A text as lines that fit. */
export const wrapLines = (text: string, width: number): readonly string[] =>
  text.split("\n").flatMap((line) => (line === "" ? [""] : wrapTextWithAnsi(line, Math.max(1, width))));

/** Text that was cut into pieces that fit, each with the place where it ends; the pieces before the last never change as text is added. */
export function cutPieces(
  text: string,
  width: number,
): readonly { readonly line: string; readonly end: number }[] {
  const pieces: { line: string; end: number }[] = [];
  let start = 0;
  let columns = 0;
  let space: number | undefined;
  const segmenter = (graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" }));
  for (const { segment, index } of segmenter.segment(text)) {
    if (segment === "\n") {
      pieces.push({ line: text.slice(start, index), end: index + 1 });
      start = index + 1;
      columns = 0;
      space = undefined;
      continue;
    }
    const wide = visibleWidth(segment);
    while (columns + wide > width && index > start) {
      const end = space !== undefined && segment !== " " ? space : index;
      pieces.push({ line: text.slice(start, end).trimEnd(), end });
      start = end;
      columns = visibleWidth(text.slice(start, index));
      space = undefined;
    }
    columns += wide;
    if (segment === " ") space = index + 1;
  }
  pieces.push({ line: text.slice(start), end: text.length });
  return pieces;
}

let graphemes: Intl.Segmenter | undefined;

/** Parts with dots between them; where they do not fit, these go first, in this order, and then it is cut. */
export function fittingParts(
  parts: readonly string[],
  { width, first }: { readonly width: number; readonly first: readonly number[] },
): string {
  let kept = parts;
  for (const index of first) {
    if (widthOf(kept.join(" · ")) <= width) break;
    kept = kept.filter((part) => part !== parts[index]);
  }
  return cutLine(kept.join(" · "), width);
}

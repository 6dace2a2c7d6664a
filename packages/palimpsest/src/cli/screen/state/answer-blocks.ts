/** A part of an answer that is whole: it is shown once, and never again. */
export type AnswerBlock =
  /** Markdown: a paragraph, a heading, an item of a list, a table. */
  | { readonly kind: "text"; readonly source: string }
  /** What is left of a part whose beginning is committed: its words as they are. */
  | { readonly kind: "raw"; readonly source: string }
  /** Lines of code. `opening` is the line that begins the fence; it is absent where that is committed already. */
  | { readonly kind: "code"; readonly source: string; readonly opening?: string; readonly isClosed: boolean };

/** The part that is still being said. */
export type OpenBlock = {
  readonly source: string;
  /** Inside a list, so that no line of space stands before the next item. */
  readonly isItem: boolean;
} & (
  | { readonly kind: "text"; /** The fence that is open inside of an item. */ readonly inner?: string }
  | { readonly kind: "raw" }
  | { readonly kind: "code"; readonly opening?: string; readonly fence: string }
);

export interface TakenText {
  readonly closed: readonly (AnswerBlock & { readonly isItem: boolean })[];
  readonly open: OpenBlock | undefined;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const INNER_FENCE = /^\s*(`{3,}|~{3,})([^`]*)$/;
const ITEM = /^ {0,1}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
/** Of a line that may go on: "1." may become "1.5". */
const SURE_ITEM = /^ {0,1}(?:[-*+]|\d{1,9}[.)])\s+\S/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;

const closes = (line: string, fence: string): boolean => {
  const marker = line.trim();
  return marker.length >= fence.length && marker === (fence[0] ?? "").repeat(marker.length);
};

/** Adds a piece of an answer: what is whole now, and what is still open. Work follows the open part, not the answer. */
export function takeText(before: OpenBlock | undefined, piece: string): TakenText {
  const closed: (AnswerBlock & { isItem: boolean })[] = [];
  let open = before;
  const close = (): void => {
    if (open !== undefined) closed.push(...closedBlock(open));
    open = undefined;
  };
  // The last line of the open part is not known to be whole: it is looked at again.
  const held = open?.source ?? "";
  const lineStart = held.lastIndexOf("\n") + 1;
  const text = held.slice(lineStart) + piece;
  const kept = held.slice(0, lineStart);
  open = open === undefined ? undefined : { ...open, source: kept };
  const lines = text.split("\n");
  const rest = lines.pop() ?? "";
  for (const line of lines) {
    if (open?.kind === "code") {
      if (!closes(line, open.fence)) {
        open = { ...open, source: `${open.source}${line}\n` };
        continue;
      }
      closed.push(codeBlock(open, true));
      open = undefined;
      continue;
    }
    if (open?.kind === "text" && open.inner !== undefined) {
      const { inner, ...outer } = open;
      const source = `${open.source}${line}\n`;
      open = closes(line, inner) ? { ...outer, source } : { ...open, source };
      continue;
    }
    const fence = FENCE.exec(line);
    if (fence !== null && (open === undefined || !open.isItem || !/^\s/.test(line))) {
      close();
      open = { kind: "code", source: "", opening: line.trim(), fence: fence[1] ?? "```", isItem: false };
      continue;
    }
    if (line.trim() === "") {
      close();
      continue;
    }
    if (HEADING.test(line) || (RULE.test(line) && open === undefined)) {
      close();
      closed.push({ kind: "text", source: line, isItem: false });
      continue;
    }
    if (ITEM.test(line)) {
      close();
      open = { kind: "text", source: `${line}\n`, isItem: true };
      continue;
    }
    const inner = open?.isItem === true ? INNER_FENCE.exec(line)?.[1] : undefined;
    open ??= { kind: "text", source: "", isItem: /^ {2,}/.test(line) };
    open = { ...open, source: `${open.source}${line}\n` };
    if (inner !== undefined && open.kind === "text") open = { ...open, inner };
  }
  if (rest !== "") {
    if (open?.kind === "text" && open.inner === undefined && SURE_ITEM.test(rest)) close();
    open ??= { kind: "text", source: "", isItem: SURE_ITEM.test(rest) };
    open = { ...open, source: `${open.source}${rest}` };
  }
  return {
    closed,
    open: open === undefined || (open.source === "" && open.kind !== "code") ? undefined : open,
  };
}

const codeBlock = (
  { source, opening }: { readonly source: string; readonly opening?: string },
  isClosed: boolean,
): AnswerBlock & { readonly isItem: boolean } => ({
  kind: "code",
  source,
  isClosed,
  isItem: false,
  ...(opening === undefined ? {} : { opening }),
});

/** The open part as it stands, when nothing more will come. */
export function closedBlock(open: OpenBlock): readonly (AnswerBlock & { readonly isItem: boolean })[] {
  if (open.kind === "code") {
    const lines = open.source.split("\n");
    const last = lines.at(-1) ?? "";
    // The closing fence may have no end of its line.
    if (closes(last, open.fence))
      return [codeBlock({ ...open, source: lines.slice(0, -1).join("\n") }, true)];
    return [codeBlock(open, true)];
  }
  if (open.source.trim() === "") return [];
  return [{ kind: open.kind, source: open.source, isItem: open.isItem }];
}

/** The open part without its beginning, which is committed. */
export function spilled(open: OpenBlock, characters: number): OpenBlock {
  const source = open.source.slice(characters);
  if (open.kind !== "code") return { kind: "raw", source, isItem: open.isItem };
  const { opening: _opening, ...rest } = open;
  return { ...rest, source };
}

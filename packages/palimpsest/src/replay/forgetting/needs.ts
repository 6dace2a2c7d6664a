import type { Message, RequestMessage } from "@palimpsest/core";
import type { AnswerBlock } from "../../simulator/player.js";
import type { CountedReference } from "../measures/recall.js";
import { requestTexts } from "../measures/shown-texts.js";
import { callPieces, hasLines, namedPath, type CallPiece } from "./call-pieces.js";
import { createFileNames, type FileNames } from "./file-names.js";
import { keyOf, lineKeys, normalLines } from "./lines.js";
import { createPathIndex } from "./path-index.js";
import { createRecordedBlocks, type SourcedText } from "./recorded-blocks.js";
import { fileSource, type Block } from "./sources.js";

/** A line that the recorded response took from further back than what it was last told. */
interface NeededLine {
  readonly key: number;
  readonly line: string;
  readonly from: Block;
  readonly tool: string;
  /** Which call of the response, from 0. */
  readonly call: number;
  /** It is text to be replaced. */
  readonly isReplaced: boolean;
}

/** A path that the recorded response took from further back. */
interface NeededPath {
  readonly path: string;
  readonly tool: string;
  /** Undefined where nobody remembers where it stood. */
  readonly from: Block | undefined;
}

/** A call that carries text to be replaced. */
interface RecordedEdit {
  readonly call: number;
  readonly tool: string;
  /** The file, where a call before this one named it; a patch brings its own context and is not asked for it. */
  readonly file?: { readonly key: number; readonly path: string; readonly from: Block };
}

/** What a recorded response had to remember. */
export interface TurnNeeds {
  /** What recall counts: paths and other names. */
  readonly references: readonly CountedReference[];
  readonly lines: readonly NeededLine[];
  readonly paths: readonly NeededPath[];
  readonly edits: readonly RecordedEdit[];
}

/** Of a response that refers to nothing. */
export const NOTHING_NEEDED: TurnNeeds = { references: [], lines: [], paths: [], edits: [] };

interface JudgedRound {
  readonly incoming: readonly Message[];
  /** The user content of the request since the response before, as a model that forgets nothing is shown it. */
  readonly shown: readonly RequestMessage[];
  readonly response: { readonly content: readonly AnswerBlock[] };
  /** What recall says that the response refers to. */
  readonly references: readonly CountedReference[];
}

/** Says what each recorded response had to remember. One for a conversation, whatever the policies. */
export interface NeedsJudge {
  /** Rounds come in their order; the round belongs to the conversation from now on. */
  readonly turn: (round: JudgedRound) => TurnNeeds;
  readonly names: FileNames;
}

/** A line from so many sources is nobody's memory. */
const COMMON_SOURCES = 3;
/** Beyond it no new line is taken in: about 100 MB. */
const MOST_LINES = 2 ** 20;

interface KnownLine {
  from: Block;
  /** The keys of its sources, the first `COMMON_SOURCES` of them. */
  sources: readonly number[];
  /** A model that forgets nothing has seen it. */
  isShown: boolean;
}

/** Keeps no texts but what was needed. */
export function createNeedsJudge(): NeedsJudge {
  const names = createFileNames();
  const blocks = createRecordedBlocks(names);
  const known = new Map<number, KnownLine>();
  const paths = createPathIndex();
  const files = new Map<number, Block>();
  let turn = -1;

  const learn = ({ text, from }: SourcedText, isShown: (key: number) => boolean): void => {
    if (from.class === "disk") files.set(from.key, from);
    paths.add(text, from);
    for (const key of lineKeys(text)) {
      const line = known.get(key);
      if (line === undefined) {
        if (known.size < MOST_LINES) known.set(key, { from, sources: [from.key], isShown: isShown(key) });
        continue;
      }
      line.from = from;
      line.isShown ||= isShown(key);
      if (line.sources.length < COMMON_SOURCES && !line.sources.includes(from.key)) {
        line.sources = [...line.sources, from.key];
      }
    }
  };

  const neededLines = (
    piece: CallPiece,
    { call, tool, fresh }: { call: number; tool: string; fresh: ReadonlySet<number> },
  ): readonly NeededLine[] => {
    const { text, isReplaced } = piece;
    if (!isReplaced && !hasLines(text)) return [];
    return normalLines(text).flatMap((line) => {
      const key = keyOf(line);
      const earlier = known.get(key);
      const isNeeded =
        earlier?.isShown === true && earlier.sources.length < COMMON_SOURCES && !fresh.has(key);
      return isNeeded ? [{ key, line, from: earlier.from, tool, call, isReplaced }] : [];
    });
  };

  /** The one file of an edit that names it beside the text; undefined for patches. */
  const editedFile = (input: Readonly<Record<string, unknown>>): RecordedEdit["file"] => {
    const path = namedPath(input);
    if (path === undefined) return undefined;
    const { key } = fileSource(path, "", names);
    const from = files.get(key);
    return from === undefined ? undefined : { key, path, from };
  };

  return {
    names,
    turn({ incoming, shown, response, references }) {
      turn += 1;
      const fresh = new Set(shown.flatMap(requestTexts).flatMap(lineKeys));
      const lines: NeededLine[] = [];
      const edits: RecordedEdit[] = [];
      const calls = response.content.filter((block) => block.type === "tool_use");
      for (const [call, { name: tool, input }] of calls.entries()) {
        const pieces = callPieces(input);
        for (const piece of pieces) lines.push(...neededLines(piece, { call, tool, fresh }));
        if (!pieces.some(({ isReplaced }) => isReplaced)) continue;
        const file = editedFile(input);
        edits.push({ call, tool, ...(file === undefined ? {} : { file }) });
      }
      const neededPaths = references
        .filter(({ kind }) => kind === "path")
        .map(({ text: path, tool }) => ({ path, tool, from: paths.find(path) }));
      for (const text of blocks.incoming(incoming, turn)) learn(text, (key) => fresh.has(key));
      for (const text of blocks.response(response.content, turn)) learn(text, () => true);
      return { references, lines, paths: neededPaths, edits };
    },
  };
}

import { createFileNames } from "../forgetting/file-names.js";
import type { MissingSource } from "../forgetting/blind-turn.js";
import { keyOf, normalLine } from "../forgetting/lines.js";
import { createRecordedBlocks } from "../forgetting/recorded-blocks.js";
import type { RecordedRound } from "../rounds/recorded-round.js";
import { createRecordedWorld } from "../world/recorded-world.js";

/** A part of a source, as whoever reads it again is shown it. */
export interface RegainedText {
  readonly text: string;
  /** Of a file whose place is known: the number of the first line, from 1. */
  readonly first?: number;
}

/** The files, answers and words of a recording, to be read again. */
export interface RecordedSources {
  /** What came in with a round can be read from now on. */
  readonly incoming: (round: RecordedRound) => void;
  readonly answered: (round: RecordedRound) => void;
  /** From before what is missing on, within the limit. */
  readonly read: (source: MissingSource, fit: (text: string) => string) => RegainedText;
}

/** Lines that are read before the first one that is sought. */
const LINES_BEFORE = 20;
/** Of a block more than this is never read again. */
const MOST_CHARACTERS = 200_000;

/** `wanted`: the blocks that may be asked for. */
export function createRecordedSources(wanted: ReadonlySet<number>): RecordedSources {
  const blocks = createRecordedBlocks(createFileNames());
  const world = createRecordedWorld();
  const texts = new Map<number, string>();
  let turn = -1;

  const keep = (sourced: ReturnType<typeof blocks.incoming>): void => {
    for (const { text, from } of sourced) {
      if (!wanted.has(from.block)) continue;
      const before = texts.get(from.block);
      texts.set(from.block, (before === undefined ? text : `${before}\n${text}`).slice(0, MOST_CHARACTERS));
    }
  };

  const fromDisk = (source: MissingSource): RegainedText | undefined => {
    const runs = source.path === undefined ? [] : world.linesOf(source.path);
    const sought = new Set(source.lines.map(({ key }) => key));
    const found = runs.flatMap(({ first, text }) => {
      const at = firstLineOf(text, sought);
      return at === undefined ? [] : [{ text: linesFrom(text, at), first: first + at }];
    });
    if (found[0] !== undefined) return found[0];
    const [run] = runs;
    return sought.size > 0 || run === undefined ? undefined : { text: run.text, first: run.first };
  };

  return {
    incoming({ incoming, at }) {
      turn += 1;
      keep(blocks.incoming(incoming, turn));
      world.note(incoming, at);
    },
    answered({ response }) {
      keep(blocks.response(response.content, turn));
      world.noteResponse(response.content, response.at);
    },
    read(source, fit) {
      const disk = fromDisk(source);
      if (disk !== undefined) return { ...disk, text: fit(disk.text) };
      const places = [...new Set(source.lines.map(({ block }) => block))];
      const sought = new Set(source.lines.map(({ key }) => key));
      const parts = (places.length === 0 ? [source.block] : places).map((block) => {
        const text = texts.get(block) ?? "";
        return linesFrom(text, firstLineOf(text, sought) ?? 0);
      });
      const text = parts.filter((part) => part !== "").join("\n");
      return { text: fit(text === "" ? [...source.paths, source.label].join("\n") : text) };
    },
  };
}

/** The line, from 0, before the first one that is sought; undefined where there is none. */
function firstLineOf(text: string, sought: ReadonlySet<number>): number | undefined {
  const at = text.split("\n").findIndex((raw) => {
    const line = normalLine(raw);
    return line !== undefined && sought.has(keyOf(line));
  });
  return at < 0 ? undefined : Math.max(0, at - LINES_BEFORE);
}

const linesFrom = (text: string, line: number): string =>
  line === 0 ? text : text.split("\n").slice(line).join("\n");

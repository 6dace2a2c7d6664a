import type { DamagedLine } from "@palimpsest/core";
import { claudeCodeReader } from "./claude-code.js";
import { codexReader } from "./codex.js";
import { geminiReader } from "./gemini.js";
import { messageListReader } from "./message-list.js";
import { openCodeReader } from "./opencode.js";
import { piReader } from "./pi.js";
import { RecordingError } from "./recording-error.js";
import type { FormatReader, RecordedLine } from "./recording.js";
import { sweAgentReader } from "./swe-agent.js";

const readers: readonly FormatReader[] = [
  geminiReader,
  codexReader,
  piReader,
  sweAgentReader,
  openCodeReader,
  claudeCodeReader,
  messageListReader,
];

const KNOWN =
  "Claude Code, Codex, pi, Gemini CLI, OpenCode and SWE-agent transcripts are known, and lists of messages of Anthropic, " +
  "OpenAI chat, the AI SDK and LangChain";

/** How many lines from the start tell the format. */
export const DETECTION_LINES = 50;
/** How many bytes from the start tell whether the file is text. */
export const TEXT_CHECK_BYTES = 8192;

/** Throws where the first bytes are not those of a text file. */
export function requireText(first: Uint8Array): void {
  if (first.subarray(0, TEXT_CHECK_BYTES).includes(0)) {
    throw new RecordingError("binary", "is a binary file, not a transcript");
  }
}

/** The beginning of a file, or all of it where it is short. */
export interface FirstLines {
  readonly lines: readonly RecordedLine[];
  readonly damaged: readonly DamagedLine[];
  readonly torn: DamagedLine | undefined;
}

/**
 * Whether the file may be one document over many lines: it begins with what is no line of a transcript, and few of
 * its lines are (a line of a document may look like one).
 */
export function mayBeDocument({ lines, damaged, torn }: FirstLines): boolean {
  const [first] = lines;
  if (first === undefined) return damaged.length > 0 || torn !== undefined;
  return (
    damaged[0] !== undefined &&
    damaged[0].line < first.line &&
    damaged.length + (torn === undefined ? 0 : 1) > lines.length
  );
}

/** Who reads this. Throws where nobody does. */
export function detectFormat({ lines, damaged, torn }: FirstLines): FormatReader {
  const first = damaged[0] ?? torn;
  if (lines.length === 0 && first === undefined) throw new RecordingError("empty", "is empty");
  const reader = readers.find((candidate) => candidate.recognises(lines.slice(0, DETECTION_LINES)));
  if (reader !== undefined) return reader;
  const why = lines.length === 0 && first !== undefined ? `line ${first.line} is ${first.reason}; ` : "";
  throw new RecordingError("unknown_format", `is not a transcript of a known format (${why}${KNOWN})`);
}

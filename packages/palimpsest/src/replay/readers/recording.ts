import type { DamagedLine, Message } from "@palimpsest/core";

/** The formats that are read. A new one is a reader file and a row in `detect-format.ts`. */
export type RecordingFormat =
  | "claude-code"
  | "codex-rollout"
  | "pi"
  | "gemini-cli"
  | "swe-agent"
  | "opencode"
  | "message-list";

/** A recorded conversation as messages of ours, in the order of the file. */
export interface Recording {
  readonly format: RecordingFormat;
  /** All of it: older windows, boundaries, other branches and sidechains too. `liveMessages` picks. */
  readonly messages: readonly Message[];
  readonly counts: RecordingCounts;
  readonly damaged: readonly DamagedLine[];
  /** A last line that a crash cut off: tolerated, and not counted as damage. */
  readonly torn?: DamagedLine;
}

/** What the recording holds, counted as its own format counts (docs/transcripts.md). */
export interface RecordingCounts {
  readonly messages: number;
  readonly apiResponses: number;
  readonly humanTurns: number;
  readonly toolCalls: number;
  readonly boundaries: number;
  /** The largest usage sum of one response, output included. */
  readonly maxContextTokens: number;
}

/** Counts of a recording that holds nothing yet. */
export const noCounts: RecordingCounts = {
  messages: 0,
  apiResponses: 0,
  humanTurns: 0,
  toolCalls: 0,
  boundaries: 0,
  maxContextTokens: 0,
};

/** One parsed line of a recording. */
export interface RecordedLine {
  /** Counted from 1. */
  readonly line: number;
  readonly offset: number;
  /** Without the line break; 0 of a document, which has no lines. */
  readonly bytes: number;
  readonly value: Fields;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Knows one format. */
export interface FormatReader {
  readonly format: RecordingFormat;
  /** Whether the first lines of a file look like this format. */
  recognises(first: readonly RecordedLine[]): boolean;
  /** Whether `survey` has to see the lines before messages can be built. */
  readonly needsSurvey: boolean;
  begin(): RecordingReading;
}

/** The reading of one recording. Its lines are handed in one by one, so that nobody has to hold them all. */
export interface RecordingReading {
  /** Takes from a line what has to be known before the first message is built: all lines, in order, once. */
  survey(line: RecordedLine): void;
  /** From the first line, each time; after the survey. */
  build(): MessageBuilder;
}

/** Builds messages from the lines of a recording: all lines, in order, once. */
export interface MessageBuilder {
  take(line: RecordedLine): readonly Message[];
  /** What can only be said after the last line. */
  end(): readonly Message[];
  /** Of what was taken so far. */
  counts(): RecordingCounts;
  /** Lines taken so far that hold no message, although they look like one. */
  readonly damaged: readonly DamagedLine[];
}

/**
 * Set on a message that only says again what stands before a compaction, because the recording wrote its
 * history anew.
 */
export interface Restated {
  readonly isRestated: true;
}

export const isRestated = (message: object): boolean =>
  "isRestated" in message && message.isRestated === true;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

export const asNumber = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) ? value : 0;

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asFieldsList = (value: unknown): readonly Fields[] => asList(value).filter(isFields);

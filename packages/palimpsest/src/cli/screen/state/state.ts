import type { CompactionProgress } from "../../../agent/session/compaction-progress.js";
import type { OpenBlock } from "./answer-blocks.js";
import type { Detail, Item } from "./item.js";
import type { Status } from "./status.js";

/** What the screen knows: a value, made of the same events that the agent without a screen tells. */
export interface ScreenState {
  /** Finished, and not yet written. */
  readonly pending: readonly Item[];
  /** The part of the answer that is still being said. */
  readonly open: OpenBlock | undefined;
  /** What is told once the open part is whole. */
  readonly held: readonly Item[];
  /** Whether a line of space stands before the next part of the answer. */
  readonly lastPart: "none" | "block" | "item";
  /** The model has said something since its last message. */
  readonly hasStreamed: boolean;
  readonly thinking: string;
  readonly calls: readonly RunningCall[];
  readonly activity: Activity | undefined;
  readonly compaction: (CompactionProgress & { readonly at: number }) | undefined;
  /** What was typed while the agent was at work, the oldest first. */
  readonly queue: readonly string[];
  readonly status: Status | undefined;
  /** Newest last; at most so many. */
  readonly details: readonly Detail[];
  readonly verbosity: Verbosity;
}

export type Verbosity = "quiet" | "normal" | "verbose";
export const verbosities: readonly Verbosity[] = ["quiet", "normal", "verbose"];

export interface RunningCall {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly input: unknown;
  /** Of its time, what a person took to answer questions. */
  readonly waitedMs?: number;
  /** Set once it has ended: its result comes with a message. */
  readonly ended?: { readonly outcome: "done" | "failed" | "denied"; readonly milliseconds: number };
}

/** A turn is under way. */
interface Activity {
  /** When it began. */
  readonly at: number;
  readonly what: "working" | "thinking" | "answering";
  /** Characters of the answers so far, for an estimate of tokens. */
  readonly characters: number;
}

export const createState = (verbosity: Verbosity): ScreenState => ({
  pending: [],
  open: undefined,
  held: [],
  lastPart: "none",
  hasStreamed: false,
  thinking: "",
  calls: [],
  activity: undefined,
  compaction: undefined,
  queue: [],
  status: undefined,
  details: [],
  verbosity,
});

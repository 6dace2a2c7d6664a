import type { ContextKind, LargeItem } from "../measures/context-kinds.js";
import type { PolicyEdit, PolicyTtl } from "../policies/policy.js";
import type { SummaryFigures } from "../summaries/provider-summaries.js";
import type { Interval } from "./bootstrap.js";
import type { RecordedBill } from "../measures/recorded-bill.js";
import type { Rereads } from "./rereads.js";

/** What a policy's forgetting came to (docs/replay.md). The names are a contract. */
export interface ForgettingFigures {
  /** Answered turns. */
  readonly turns: number;
  /** Dollars, calls for summaries and notes included. */
  readonly cost: number;
  /** The bill of the run in which what was forgotten is read again. */
  readonly fullCost: number;
  /** `fullCost` less `cost`. */
  readonly regainCost: number;
  /** `cost` and so many times `regainCost`. */
  readonly costAt: Readonly<Record<"1" | "2" | "4", number>>;
  /** Calls that carry text to be replaced. */
  readonly edits: number;
  /** Those of them of whose text a line was nowhere in the context. */
  readonly blindEdits: number;
  /** Those that a host would have refused because it no longer held their file as read. */
  readonly unreadEdits: number;
  /** Turns that had to remember a line or a path, and those at which one was missing. */
  readonly neededTurns: number;
  readonly blindTurns: number;
  /** Of the run with regaining: requests that read again, their seconds, and sources that could not be read again. */
  readonly regainRequests: number;
  readonly regainSeconds: number;
  readonly lost: number;
}

/** What one policy made of one conversation, or of several together. The names are a contract. */
export interface PolicyFigures extends ForgettingFigures {
  /** The same of the turns before the first compaction that was recorded. */
  readonly beforeRecordedCompaction: ForgettingFigures;
  /** How many times its price a regained turn is worth where this policy costs what `palimpsest` does; null for none. */
  readonly breakEven: number | null;
  /** Against never forgetting: an unlimited window and a cache that never loses anything. */
  readonly costRatio: number;
  /** Tokens read from the cache of all input tokens. */
  readonly cacheHit: number;
  /** Tokens neither read from the cache nor written to it. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Requests that the API rejects, other than for their length. */
  readonly invalid: number;
  /** Requests over the window; once a conversation has ended there, every further one. */
  readonly overflow: number;
  /** How often each tier did something. */
  readonly compactions: Readonly<Record<string, number>>;
  /** Compactions within three turns of the one before. */
  readonly recompactions: number;
  /** Share of the references still in the context of the turn that used them. 1 where there was none. */
  readonly recall: number;
  readonly references: number;
  readonly missingReferences: number;
  /**
   * Share of the human messages still there word for word, over all turns; of one that is longer than a summary has
   * to quote, beginning and end.
   */
  readonly userWords: number;
  /** Share of all words that people typed, over all turns, however long their messages are. */
  readonly userWordsUncapped: number;
  /** Milliseconds of the policy's own work in a turn, the model's not included. */
  readonly cpuMsP50: number;
  readonly cpuMsP99: number;
  /** The median of the last quarter of the turns against that of the first; 1 is flat. */
  readonly cpuGrowth: number;
  /** Calls beside the conversation, and what they cost. */
  readonly sideCalls: number;
  readonly sideCost: number;
  /** The largest prompt that was answered. */
  readonly peakTokens: number;
  /** Only of `as-recorded`: what agents read again around recorded compactions, and what this judge expects. */
  readonly rereads?: Rereads;
}

/** One answered turn, for charts. */
export interface TurnRecord {
  /** From 0, as in the recording. */
  readonly turn: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly promptTokens: number;
  readonly kinds: Readonly<Partial<Record<ContextKind, number>>>;
  /** Dollars of this turn, side calls included. */
  readonly cost: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly references: number;
  readonly missing: number;
  /** A line or a path was missing; how many edits were blind. */
  readonly isBlind: boolean;
  readonly blindEdits: number;
  readonly edits: readonly PolicyEdit[];
  /** Why the cache lost something that it held; null where it did not. */
  readonly cacheBreak: { readonly reason: string; readonly lostTokens: number; readonly cost: number } | null;
}

/** A reference that was not in the context of the turn that used it. */
export interface MissingReference {
  readonly turn: number;
  readonly at: number;
  readonly tool: string;
  readonly kind: "path" | "identifier" | "number" | "quoted";
  readonly reference: string;
}

/** A source of which lines or paths were not in the context of the turn that used them. */
export interface ForgottenSource {
  readonly turn: number;
  readonly at: number;
  readonly tool: string;
  readonly class: "disk" | "again" | "transcript";
  /** A path, a command, or whose words they are: hostile, cut short. */
  readonly source: string;
  /** Turns since it stood in the conversation last; null where that is not known. */
  readonly roundsAgo: number | null;
  /** The first of them, and how many there are. */
  readonly lines: readonly string[];
  readonly missingLines: number;
  readonly paths: readonly string[];
  /** The host would refuse an edit of it: it no longer holds the file as read. */
  readonly isUnread: boolean;
}

export interface PolicyResult extends PolicyFigures {
  readonly ttl: PolicyTtl;
  /** The turn at which the conversation could not go on; null where it reached its end. */
  readonly endedAtTurn: number | null;
  /** What the API or the policy said then. */
  readonly endedBecause: string | null;
  /** The same turn of the run with regaining, whose bill is `fullCost`; null too where nothing had to be regained. */
  readonly regainingEndedAtTurn: number | null;
  /** Only of `as-recorded`: what was recorded for the same responses. */
  readonly recordedBill?: RecordedBill;
  /** Only where they were asked for. */
  readonly series?: readonly TurnRecord[];
  readonly missing?: readonly MissingReference[];
  readonly forgotten?: readonly ForgottenSource[];
  readonly largest?: readonly LargeItem[];
}

export interface FileResult {
  readonly file: string;
  readonly format: string;
  /** What it is about, by name. */
  readonly repository: string;
  readonly model: string;
  readonly window: number;
  readonly rounds: number;
  readonly humanMessages: number;
  readonly undoneCompactions: number;
  readonly keptCompactions: number;
  readonly damagedLines: number;
  /** The tokens that stand for the system prompt and the tools, and where the figure is from. */
  readonly head: { readonly tokens: number; readonly from: "recorded" | "assumed" };
  /** What never forgetting would cost: the denominator of every ratio. */
  readonly unlimitedCost: number;
  /** By name; `{name}@1h` is a baseline with entries that live an hour. */
  readonly policies: Readonly<Record<string, PolicyResult>>;
}

/** Figures of several conversations. */
export interface PolicyTotal extends PolicyFigures {
  /** How many conversations they are of. */
  readonly conversations: number;
  /** 95% intervals of some of the figures, drawn by repository; null where all are about one. */
  readonly intervals: Readonly<Record<string, Interval>> | null;
}

/** A file that could not be played. */
export interface FailedFile {
  readonly file: string;
  readonly error: string;
}

export interface ReplayReport {
  /** Where a real model wrote the summaries: how often it was asked, for how many dollars, and what was kept. */
  readonly summaries?: SummaryFigures;
  readonly files: readonly (FileResult | FailedFile)[];
  readonly total: {
    readonly files: number;
    readonly failed: number;
    readonly rounds: number;
    readonly unlimitedCost: number;
    /** How many repositories the conversations are about. */
    readonly repositories: number;
    readonly policies: Readonly<Record<string, PolicyTotal>>;
  };
}

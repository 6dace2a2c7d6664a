import type { CompactPhase, CompactStatus } from "@palimpsest/core/compaction";

/** What a compaction is at: told when it begins a phase, and again and again while it lasts. */
export interface CompactionProgress {
  readonly phase: CompactPhase;
  /** The phase in a few words. */
  readonly text: string;
  /** Since it began. */
  readonly milliseconds: number;
  /** Of the conversation that is compacted. */
  readonly contextTokens: number;
  /** Of the summary so far: about so many. */
  readonly summaryTokens: number;
  /** Nothing new has begun: it goes on. */
  readonly isSignOfLife: boolean;
}

export interface CompactionProgressOptions {
  readonly now: () => number;
  /** Tokens of the conversation. */
  readonly contextTokens: () => number;
  /** Undefined when it is over, however it ended. */
  readonly tell: (progress: CompactionProgress | undefined) => void;
}

/** What a conversation is given for it. */
export interface CompactionWatch {
  readonly onStatus: (status: CompactStatus) => void;
  readonly every: (milliseconds: number, callback: () => void) => () => void;
}

const CHARACTERS_PER_TOKEN = 4;

/** The status of compactions as people want it: pieces of a summary are not told one by one. */
export function createCompactionProgress({
  now,
  contextTokens,
  tell,
}: CompactionProgressOptions): CompactionWatch {
  let began: { readonly at: number; readonly tokens: number } | undefined;
  let last: CompactPhase | undefined;
  let isTick = false;
  return {
    onStatus(status) {
      if (status === undefined) {
        began = undefined;
        last = undefined;
        tell(undefined);
        return;
      }
      began ??= { at: now(), tokens: contextTokens() };
      const { phase, text, characters } = status;
      if (phase === last && !isTick) return;
      const isSignOfLife = phase === last;
      last = phase;
      tell({
        phase,
        text,
        milliseconds: now() - began.at,
        contextTokens: began.tokens,
        summaryTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
        isSignOfLife,
      });
    },
    every(milliseconds, callback) {
      const timer = setInterval(() => {
        isTick = true;
        callback();
        isTick = false;
      }, milliseconds);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

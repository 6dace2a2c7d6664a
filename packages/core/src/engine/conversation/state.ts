import { noNativeClearing, type NativeClearing } from "../clear/api-native.js";
import { noCachedEdits, type CachedEdits } from "../clear/cached-edits.js";
import type { HeldHead } from "../prompt/request-state.js";
import type { LastAnswer } from "../prompt/request-builder.js";
import { freshTtlState, type TtlState } from "../prompt/ttl/ttl-state.js";
import type { ReadStateSnapshot } from "../tools/read-state.js";
import type { Message } from "../../messages/message.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import { closedBreaker, type Breaker } from "./breaker.js";
import { startChain, type Chain } from "./chain.js";
import type { Context } from "./context.js";

/** Everything that a conversation remembers. A value: `apply` makes the next one. */
export interface ConversationState {
  /** The live list, and what is kept up to date with it. */
  readonly context: Context;
  /** Another number whenever the list was replaced. */
  readonly generation: number;
  /** What was stored last, where that is not the last of the list: the next message hangs on it. */
  readonly tip: string | undefined;
  readonly model: string;
  /** Tokens that an answer may have. */
  readonly maxTokens: number;
  /** What the API has said of models' windows. */
  readonly windows: ReadonlyMap<string, number>;
  readonly chain: Chain;
  /** What requests begin with, until a compaction begins it anew. */
  readonly head: HeldHead | undefined;
  /** Whether the transcript says so, after the last boundary. */
  readonly isHeadStored: boolean;
  readonly cache: CacheMemory;
  readonly room: RoomMemory;
  /** What the last compaction replaced, while it can be taken back. */
  readonly undoable: Undoable | undefined;
}

/** What is known of the provider's cache. */
export interface CacheMemory {
  /** Of the last answered request; undefined before the first. */
  readonly answered: LastAnswer | undefined;
  /** Tokens of the prompt that was answered last. */
  readonly promptTokens: number;
  /** Whether the last request held pictures. */
  readonly hadImages: boolean;
  /** Deletions inside the cached prefix. */
  readonly edits: CachedEdits;
  /** A response has shown that what those refer to is gone. */
  readonly areEditsStale: boolean;
  /** What the provider clears by itself. */
  readonly native: NativeClearing;
  readonly ttl: TtlState;
}

/** How making room went of late. */
export interface RoomMemory {
  readonly breaker: Breaker;
  /** Tokens before which it is not compacted early again, because that has failed. */
  readonly notEarlyBefore: number;
  /** The attempt that the last rung allows although the breaker is open, once it failed. */
  readonly lastResort: CompactionFailed | undefined;
  /** How often room was made because the API refused, since the last answer. */
  readonly reactions: number;
  /** Of these, without a stated size: since a person said something, or a while ago. */
  readonly guesses: number;
}

interface Undoable {
  readonly before: readonly Message[];
  readonly compacted: Pick<Compacted, "boundary" | "live" | "stored">;
  readonly readState: ReadStateSnapshot | undefined;
}

export const nothingCached: CacheMemory = {
  answered: undefined,
  promptTokens: 0,
  hadImages: false,
  edits: noCachedEdits,
  areEditsStale: false,
  native: noNativeClearing,
  ttl: freshTtlState,
};

const roomUntried: RoomMemory = {
  breaker: closedBreaker,
  notEarlyBefore: 0,
  lastResort: undefined,
  reactions: 0,
  guesses: 0,
};

/** A conversation in which nothing was said yet. */
export const emptyState = (
  context: Context,
  {
    model,
    maxTokens,
    stretchId,
  }: { readonly model: string; readonly maxTokens: number; readonly stretchId: string },
): ConversationState => ({
  context,
  generation: 0,
  tip: undefined,
  model,
  maxTokens,
  windows: new Map(),
  chain: startChain(stretchId),
  head: undefined,
  isHeadStored: false,
  cache: nothingCached,
  room: roomUntried,
  undoable: undefined,
});

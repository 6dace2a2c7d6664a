import type { QuerySource } from "../../../messages/call/query-source.js";
import type { GapHistoryStore } from "./gap-history-store.js";
import { addEvidence, weighEvidence, type GapEvidence, type PromptRequest } from "./gap-evidence.js";
import { addToHistory, noGapHistory, type GapHistory } from "./gap-history.js";
import {
  freshTtlState,
  gapsToExpect,
  latchTtl,
  noteRequest,
  reconsiderTtl,
  ttlsFor,
  type SourceTtls,
  type TtlDecision,
  type TtlFacts,
  type TtlState,
} from "./ttl-state.js";

export interface TtlPolicyOptions {
  readonly source: QuerySource;
  /** Asked at first use and at compactions, never in between. */
  readonly facts: () => Omit<TtlFacts, "source" | "history">;
  /** Of earlier conversations, as it was loaded before the first request. */
  readonly history?: GapHistory | undefined;
  /** Of a conversation that goes on: its decision stays what it was. */
  readonly state?: TtlState;
  /** Where the state is kept, for somebody who keeps it among other things. Default: here. */
  readonly cell?: TtlCell;
}

interface TtlCell {
  read(): TtlState;
  write(state: TtlState): void;
}

/**
 * The lifetimes of one conversation with one model: a change of model or provider loses the cache anyway and
 * begins with a policy of its own.
 */
export interface TtlPolicy {
  /** The lifetimes for a source's markers. The first use decides for the whole conversation. */
  readonly ttlFor: (source: QuerySource) => SourceTtls;
  /** What was decided, and why; decides where nothing was. */
  readonly decision: () => TtlDecision;
  /** Every request that reads or writes the conversation's prefix, in the order they began; no keep-alives. */
  readonly noteRequest: (request: PromptRequest) => void;
  /** At a compaction, before the first request after it: decides again. */
  readonly reconsider: (compaction: { readonly headTokens: number }) => TtlDecision;
  /** What is to be expected of the gaps, for deciding on keep-alives. */
  readonly gaps: () => GapEvidence;
  readonly state: () => TtlState;
  /**
   * Adds to the stored history what it does not have of this conversation. May be called any number of times;
   * rejects as the store does, and what was not saved is saved the next time.
   */
  readonly remember: (store: GapHistoryStore) => Promise<void>;
}

function memoryCell(state: TtlState = freshTtlState): TtlCell {
  let kept = state;
  return {
    read: () => kept,
    write(next) {
      kept = next;
    },
  };
}

/** Decides how long the cache of one conversation is to live, by the gaps between its requests. */
export function createTtlPolicy({ source, facts, history, ...given }: TtlPolicyOptions): TtlPolicy {
  const cell = given.cell ?? memoryCell(given.state);
  let remembered = cell.read().evidence;
  let remembering: Promise<void> = Promise.resolve();
  const origin = { source, history };

  const decided = (): TtlDecision => {
    const state = cell.read();
    if (state.latched !== undefined) return state.latched.decision;
    const latched = latchTtl(state, { ...facts(), ...origin });
    cell.write(latched);
    return latched.latched.decision;
  };

  const saveNew = async (store: GapHistoryStore): Promise<void> => {
    const { evidence } = cell.read();
    const stored = (await store.load()) ?? noGapHistory;
    const unsaved = addEvidence(evidence, weighEvidence(remembered, -1));
    await store.save(addToHistory(stored, { source, evidence: unsaved }));
    remembered = evidence;
  };

  return {
    ttlFor(source) {
      decided();
      return ttlsFor(cell.read(), source);
    },
    decision: decided,
    noteRequest(request) {
      cell.write(noteRequest(cell.read(), request));
    },
    reconsider({ headTokens }) {
      cell.write(reconsiderTtl(cell.read(), { ...facts(), ...origin, headTokens }));
      return decided();
    },
    gaps: () => gapsToExpect(cell.read(), origin),
    state: () => cell.read(),
    remember(store) {
      const saved = remembering.then(() => saveNew(store));
      remembering = saved.catch(() => {});
      return saved;
    },
  };
}

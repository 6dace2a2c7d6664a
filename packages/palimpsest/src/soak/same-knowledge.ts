import {
  accountTotal,
  type Account,
  type BranchStage,
  type Calibration,
  type Calibrations,
  type Conversation,
  type TotalsStage,
} from "@palimpsest/core";
import { branches } from "@palimpsest/core/branches";
import { totals } from "@palimpsest/core/totals";
import { ensure, ensureSame } from "./ensure.js";

/** A conversation as stages see it. */
type Running = Parameters<BranchStage["rewind"]>[0];
type Moment = Parameters<TotalsStage["records"]>[1];

/** `totals`, and a way to look at the conversations that it was handed to, by the names of their sessions. */
export function createWatchedTotals(): {
  readonly stage: TotalsStage;
  momentOf(id: string): Moment | undefined;
} {
  const moments = new Map<string, Moment>();
  return {
    stage: {
      ...totals,
      records(event, moment, account) {
        moments.set(moment.setup.options.sessionId, moment);
        return totals.records(event, moment, account);
      },
    },
    momentOf: (id) => moments.get(id),
  };
}

/** Branches, and a way to look at the conversation that they were handed to. */
export function createPeeking(): {
  readonly stage: BranchStage;
  momentOf(conversation: Conversation): Promise<Moment>;
} {
  let seen: Running | undefined;
  const stage: BranchStage = {
    ...branches(),
    async rewind(running) {
      seen = running;
      return { kind: "failed", reason: "unknown_message", message: "Only looked at." };
    },
  };
  return {
    stage,
    async momentOf(conversation) {
      await conversation.rewind("");
      ensure(seen !== undefined, "nothing was seen of the conversation");
      return seen;
    },
  };
}

/** What is known of models in this process, as a host's data folder would have it. */
export function createKnownModels(begin: readonly (readonly [string, Calibration])[] = []): Calibrations & {
  entries(): readonly (readonly [string, Calibration])[];
} {
  const known = new Map(begin);
  return {
    of: (model) => known.get(model),
    note: (model, calibration) => void known.set(model, calibration),
    entries: () => [...known],
  };
}

/**
 * What a conversation knows and its messages do not show. Left out, because a resume is to begin it anew:
 * `lastResort`, `reactions` and `guesses` hold back a second try, and a person who resumes wants one; `undoable` holds the
 * messages before a compaction in memory; `generation` and `lastDecision` name lists of one process; `tip` and the cache's
 * facts show in the next request, which is compared in its bytes.
 */
const knowledgeOf = ({ setup, state }: Moment): object => ({
  // Until the first request the stretch has no name that anybody was told.
  chain: state.context.head === 0 ? { ...state.chain, stretchId: "" } : state.chain,
  breaker: state.room.breaker,
  notEarlyBefore: state.room.notEarlyBefore,
  windows: [...state.windows].toSorted(([one], [other]) => (one < other ? -1 : 1)),
  head: state.context.head,
  stretch: state.context.stretch,
  results: [state.context.index.activeTokens, state.context.index.totalTokens],
  calibration: (setup.estimatorOf(state.model).base as { readonly calibration?: Calibration }).calibration,
});

/** Throws where a resumed conversation knows something else than the live one. */
export function ensureSameKnowledge(
  resumed: { readonly conversation: Conversation; readonly moment: Moment },
  live: { readonly conversation: Conversation; readonly moment: Moment },
): void {
  ensureSame(linesOf(resumed.conversation.account()), linesOf(live.conversation.account()), "the account");
  const dollars = [resumed, live].map(({ conversation }) => accountTotal(conversation.account()).dollars);
  ensure(
    Math.abs((dollars[0] ?? 0) - (dollars[1] ?? 0)) < 1e-9,
    `the dollars: ${dollars.join(" instead of ")}`,
  );
  ensureSame(resumed.conversation.size(), live.conversation.size(), "the size");
  ensureSame(knowledgeOf(resumed.moment), knowledgeOf(live.moment), "what it knows");
}

/** To the token; dollars add up in another order. */
const linesOf = ({ lines }: Account): readonly unknown[] =>
  lines
    .map(({ dollars: _dollars, estimated: { dollars: _estimated, ...estimated }, ...line }) => ({
      ...line,
      estimated,
    }))
    .toSorted((left, right) => (key(left) < key(right) ? -1 : 1));

const key = ({ model, source }: { readonly model: string; readonly source: string }): string =>
  `${model} ${source}`;

import {
  findModel,
  type BilledCall,
  type CompactionStage,
  type EventEmitter,
  type Message,
  type ModelCall,
  type ModelProvider,
} from "@palimpsest/core";
import type { Compacted } from "@palimpsest/core/compaction";
import { pricesAt } from "@palimpsest/core/engine";

type Running = Parameters<CompactionStage["perform"]>[0];
type Setup = Running["setup"];

/** A summary that is to be written and not used yet. */
export interface SummaryJob {
  readonly kind: "prepare";
  readonly dollarsLeft: number;
  /** When the request was made whose cache is read, and which has been kept warm since. */
  readonly requestAt: number;
  /** Aborted where it would cost more than it may. */
  readonly stop: AbortController;
  /** What was paid for it. */
  readonly calls: BilledCall[];
  /** The messages that it is about, once it has begun. */
  live: readonly Message[];
}

/** Thrown where a compaction would take effect. */
class KeptBack extends Error {
  readonly compacted: Compacted;

  constructor(compacted: Compacted) {
    super("the compaction is kept back");
    this.compacted = compacted;
  }
}

type Outcome = Awaited<ReturnType<CompactionStage["perform"]>>;
type Commit = Running["commit"];

/** In place of a commit: a compaction takes no effect, and it counts for no failure that it was not stored. */
export function keptBack(commit: Commit): Commit {
  return async (event) => {
    if (event.kind === "compacted") throw new KeptBack(event.compacted);
    if (event.kind !== "not-stored") await commit(event);
  };
}

/** What a compaction came to whose commit was `keptBack`. */
export async function untilKeptBack(perform: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await perform();
  } catch (error) {
    if (error instanceof KeptBack) return error.compacted;
    throw error;
  }
}

/** `PreCompact` hooks are heard; that it has happened is told to nobody. */
export const quietHooks = (hooks: NonNullable<Setup["options"]["hooks"]>): typeof hooks => ({
  preCompact: (input, signal) => hooks.preCompact(input, signal),
  sessionStart: async () => ({}),
  postCompact: async () => ({}),
});

/** Of a beginning only, what a fork would read may have ended before the rest: nothing has read it since. */
const whole = { kind: "full", keepRecentTokens: 0 } as const;

/**
 * Compacts as the stage does, up to the point where it would take effect: `PreCompact` hooks are heard and the summary is
 * written on the conversation's own cache, by nobody else. It is billed; nothing else changes, and nothing else is told.
 */
export async function writeBeside(
  inner: CompactionStage,
  running: Running,
  { job, signal }: { readonly job: SummaryJob; readonly signal: AbortSignal | undefined },
): Promise<Outcome> {
  const { setup, ledger } = running;
  const { state: _state, onStatus: _status, every: _every, provider, hooks, ...options } = setup.options;
  const { live, size } = running.state.context;
  const { tokens } = size;
  job.live = live;
  const own: Setup = {
    ...setup,
    settings: { ...setup.settings, compactExtractive: false, compactServerWriter: false },
    events: tellingRetries(setup.events),
    // What that request left is alive, however long ago it was.
    clock: { now: () => job.requestAt },
    options: {
      ...options,
      ...(provider && { provider: oneCall(provider, { model: running.state.model, tokens, job }) }),
      ...(hooks && { hooks: quietHooks(hooks) }),
    },
  };
  const changes = {
    // A failure while nobody is there counts for nothing.
    commit: keptBack(async () => {}),
    ledger: {
      account: ledger.account,
      told: ledger.told,
      save: () => ledger.save(),
      add(calls: readonly BilledCall[]) {
        job.calls.push(...calls);
        ledger.add(calls);
      },
    },
  };
  const outcome = await untilKeptBack(() =>
    inner.perform(viewOf(running, own, changes), { trigger: "auto", signal, scope: whole }),
  );
  if (outcome.kind === "compacted") await ledger.save();
  return outcome;
}

/** The conversation for a compaction whose `PreCompact` hooks have been heard. */
export function afterPreCompact(running: Running): Running {
  const { hooks } = running.setup.options;
  if (hooks === undefined) return running;
  const heard = {
    preCompact: async () => ({}),
    sessionStart: hooks.sessionStart.bind(hooks),
    postCompact: hooks.postCompact.bind(hooks),
  };
  return viewOf(running, {
    ...running.setup,
    options: { ...running.setup.options, hooks: heard },
  });
}

/** The same conversation, made with something else. */
export const viewOf = (
  running: Running,
  setup: Setup,
  {
    ledger = running.ledger,
    commit = (event) => running.commit(event),
  }: Partial<Pick<Running, "ledger" | "commit">> = {},
): Running => ({
  setup,
  get state() {
    return running.state;
  },
  ledger,
  notes: running.notes,
  commit,
  pickUp: () => running.pickUp(),
  resetPrompt: () => running.resetPrompt(),
});

const tellingRetries = (events: EventEmitter): EventEmitter => ({
  on: (name, listener) => events.on(name, listener),
  emit(name, event) {
    if (name === "summary_retried") events.emit(name, event);
  },
});

/** What the request for a summary may have at most. */
const PROMPT_TOKENS = 2000;

interface Limit {
  readonly model: string;
  /** Of the context. */
  readonly tokens: number;
  readonly job: SummaryJob;
}

/** Makes the first call, within its dollars, and no other: what comes after a fork is not on the cache. */
function oneCall(provider: ModelProvider, { model, tokens, job }: Limit): ModelProvider {
  let isMade = false;
  return {
    name: provider.name,
    capabilities: (name) => provider.capabilities(name),
    async *stream(call, options) {
      const limited = isMade ? undefined : withinDollars(call, { model, tokens, job });
      isMade = true;
      if (limited === undefined) job.stop.abort();
      else yield* provider.stream(limited, options);
    },
  };
}

/** With so long an answer as the dollars are enough for; undefined where they are not enough for any. `max_tokens` is in no cache key. */
function withinDollars(call: ModelCall, { model, tokens, job }: Limit): ModelCall | undefined {
  const known = findModel(model);
  if (known === undefined) return undefined;
  const { cacheRead, input, output } = pricesAt(known, tokens);
  const asked = tokens * cacheRead + PROMPT_TOKENS * input;
  const most = Math.floor((job.dollarsLeft * 1_000_000 - asked) / output);
  const { request } = call;
  const { max_tokens: wanted, thinking } = request;
  const budget = thinking?.type === "enabled" ? thinking.budget_tokens : 0;
  if (!(most > budget)) return undefined;
  return { ...call, request: { ...request, max_tokens: Math.min(wanted, most) } };
}

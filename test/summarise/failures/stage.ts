import { expect } from "vitest";
import { createEventEmitter, type EngineEvents } from "@palimpsest/core";
import { compact } from "../../../packages/core/src/engine/summarise/compact.js";
import type {
  CompactInput,
  CompactPorts,
  CompactStatus,
} from "../../../packages/core/src/engine/summarise/run/compact-run.js";
import type {
  Compacted,
  CompactionFailed,
} from "../../../packages/core/src/engine/summarise/run/compaction.js";
import type {
  CompactionFailureReason,
  WriterName,
} from "../../../packages/core/src/engine/events/compaction-terms.js";
import { applyRestored } from "../../../packages/core/src/engine/restore/apply-restored.js";
import { createMemoryReadState, type ReadState } from "../../../packages/core/src/engine/tools/read-state.js";
import { createHost, type HostOptions } from "../host.js";

type Host = ReturnType<typeof createHost>;
export type Outcome = Compacted | CompactionFailed;

/** One failure: how it is provoked, what comes of it, and what the person is told. A row of docs/failures.md. */
export interface FailureRow {
  /** What goes wrong, as the document says it. */
  readonly name: string;
  readonly host?: HostOptions;
  /** How long the conversation is. Default 14. */
  readonly turns?: number;
  /** What is particular about the compaction. */
  readonly provoke?: (stage: Stage) => Provocation | Promise<Provocation>;
  readonly expected: Expected;
  /** What else holds, before a compaction is swapped in. */
  readonly check?: (stage: Stage, outcome: Outcome) => void | Promise<void>;
  readonly cleanUp?: (stage: Stage) => Promise<void>;
}

export interface Provocation {
  readonly input?: Partial<CompactInput>;
  readonly ports?: Partial<CompactPorts>;
  /** Leave these out altogether. */
  readonly without?: readonly ("provider" | "params")[];
}

interface Expected {
  /** Why nothing was compacted, or who wrote the summary after all. */
  readonly outcome: CompactionFailureReason | `by ${WriterName}`;
  /** Who tried in vain, and why: `fork: cut_off`. */
  readonly attempts?: readonly string[];
  /** One sentence; of a success with dots for the figures. */
  readonly told: string;
}

export const COMPACTED = "Conversation compacted · … → …";

/** Where a failure is played: a conversation under way, and everybody who watches. */
export interface Stage {
  readonly host: Host;
  readonly readState: ReadState;
  readonly statuses: CompactStatus[];
  /** Of the keep-alive: it goes on for whoever forgets to stop it. */
  readonly keepAlive: { beat: () => void; isStopped: boolean };
  /** How it ended. */
  readonly events: (EngineEvents["compact"] | EngineEvents["compact_failed"])[];
  /** How many ends had been told when each beginning was. */
  readonly begun: number[];
  readonly signal: AbortSignal;
  /** Calls it off. From now on nothing may be sent. */
  readonly abort: () => void;
  /** How often the API had been called when it was called off. */
  readonly postsAtAbort: () => number | undefined;
  /** Any place for a row to keep something between provoking and checking. */
  readonly notes: Map<string, unknown>;
}

async function createStage({ host: options, turns = 14 }: FailureRow): Promise<Stage> {
  const host = createHost(options);
  await host.turns(turns);
  const controller = new AbortController();
  let postsAtAbort: number | undefined;
  const readState = createMemoryReadState();
  readState.remember("/work/known.ts", { content: "known", timestamp: 1, mtime: 1 });
  return {
    host,
    readState,
    statuses: [],
    keepAlive: { beat: () => {}, isStopped: false },
    events: [],
    begun: [],
    signal: controller.signal,
    abort() {
      postsAtAbort = host.posts();
      controller.abort();
    },
    postsAtAbort: () => postsAtAbort,
    notes: new Map(),
  };
}

/** Plays one row, and checks what holds for all of them. */
export async function play(row: FailureRow): Promise<void> {
  const stage = await createStage(row);
  try {
    const { input = {}, ports = {}, without = [] } = (await row.provoke?.(stage)) ?? {};
    const before = snapshotOf(stage);
    const outcome = await compact(
      leaveOut(stage.host.input(input), without),
      leaveOut(stage.host.ports({ ...watching(stage), ...ports }), without),
    );
    expectUnchanged(stage, before);
    expectTold(outcome, row.expected);
    expectOver(stage, outcome);
    await row.check?.(stage, outcome);
    // What was called off must not go on in the background.
    await new Promise((resolve) => setTimeout(resolve, 5));
    expectUnchanged(stage, before);
    expectOver(stage, outcome);
    await goOn(stage, outcome);
  } finally {
    await row.cleanUp?.(stage);
  }
}

const leaveOut = <T extends object>(parts: T, names: readonly string[]): T =>
  Object.fromEntries(Object.entries(parts).filter(([name]) => !names.includes(name))) as T;

function watching({ statuses, events, begun, signal, keepAlive }: Stage): Partial<CompactPorts> {
  const emitter = createEventEmitter();
  emitter.on("compact_started", () => begun.push(events.length));
  emitter.on("compact", (event) => events.push(event));
  emitter.on("compact_failed", (event) => events.push(event));
  return {
    events: emitter,
    signal,
    onStatus: (status) => statuses.push(status),
    every(_milliseconds, beat) {
      keepAlive.beat = beat;
      return () => {
        keepAlive.isStopped = true;
      };
    },
  };
}

interface Snapshot {
  readonly live: Host["live"];
  readonly stored: Host["stored"];
  readonly copy: unknown;
}

const contentOf = ({ host, readState }: Stage): unknown => ({
  live: host.live,
  stored: host.stored,
  reads: readState.snapshot(),
  request: host.build().request,
});

const snapshotOf = (stage: Stage): Snapshot => ({
  live: stage.host.live,
  stored: stage.host.stored,
  copy: structuredClone(contentOf(stage)),
});

function expectUnchanged(stage: Stage, { live, stored, copy }: Snapshot): void {
  expect(stage.host.live).toBe(live);
  expect(stage.host.stored).toBe(stored);
  expect(contentOf(stage)).toEqual(copy);
}

const withoutFigures = (text: string): string => text.replace(/\d+K? → \d+K?/, "… → …");

function expectTold(outcome: Outcome, { outcome: expected, attempts = [], told }: Expected): void {
  expect({
    outcome: outcome.kind === "failed" ? outcome.reason : `by ${outcome.writer}`,
    attempts: outcome.failedAttempts.map(({ writer, reason }) => `${writer}: ${reason}`),
    told: outcome.kind === "failed" ? outcome.message : withoutFigures(outcome.messageForPerson),
  }).toEqual({ outcome: expected, attempts, told });
  for (const { detail } of outcome.failedAttempts) expect(detail).not.toBe("");
}

/** It is said once that it is over, nothing comes after that, and no request was one that the API refuses. */
function expectOver(
  { host, statuses, events, begun, postsAtAbort, keepAlive }: Stage,
  outcome: Outcome,
): void {
  expect(keepAlive.isStopped).toBe(true);
  keepAlive.beat();
  expect(statuses.filter((status) => status === undefined)).toHaveLength(1);
  expect(statuses.at(-1)).toBeUndefined();
  expect(begun).toEqual([0]);
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({ failedAttempts: outcome.failedAttempts });
  if (outcome.kind === "failed") expect(events[0]).toMatchObject({ reason: outcome.reason });
  expect(host.problems).toEqual([]);
  expect(host.posts()).toBe(postsAtAbort() ?? host.posts());
}

/** The next turn works, on the conversation as it was or as it is now. */
async function goOn({ host, readState }: Stage, outcome: Outcome): Promise<void> {
  host.provider.faults.reset();
  if (outcome.kind === "compacted") {
    if (outcome.restored !== undefined) applyRestored(outcome.restored, { readState });
    host.swap(outcome);
    expect(host.resumed()).toEqual(host.messages);
    expect(outcome.tokensAfter).toBeLessThan(outcome.tokensBefore);
    await host.turn();
  } else if (host.live.length > 0) {
    const isFirst = host.sent.length === 0;
    const verdict = await host.turn();
    if (!isFirst) expect(verdict.cacheRead).toBeGreaterThan(0);
  }
}

import type { RereadWindow } from "../forgetting/reread-windows.js";
import type { SourceClass } from "../forgetting/sources.js";

/** What was read again. */
export interface RereadCalls {
  /** Different files around one compaction, summed over the compactions. */
  readonly files: number;
  /** Calls that read those files: long files are read in parts. */
  readonly reads: number;
  /** Calls of commands and searches, the same word for word. */
  readonly commands: number;
}

/** What agents really read again after recorded compactions, and what the judge of forgetting expects of them. */
export interface Rereads {
  /** Recorded compactions that were undone and have rounds on both sides. */
  readonly compactions: number;
  /** Rounds that were looked at after them; as many before them. */
  readonly rounds: number;
  /** In those rounds, of what had been seen before the first of them. */
  readonly after: RereadCalls;
  readonly before: RereadCalls;
  /** `after` less `before`: things are read again without a compaction too. */
  readonly observed: RereadCalls;
  /** What the played agent reads again in the rounds after, where the recorded one did not. */
  readonly predicted: RereadCalls;
  /** Files that are both in `after` and in `predicted`, around the same compaction. */
  readonly matched: number;
}

/** A call that reads again, and the turn before whose recorded response it is made. */
interface RegainedSource {
  readonly turn: number;
  readonly key: number;
  readonly class: SourceClass;
}

/** `regained`: what the played agent read again at any turn. */
export function compareRereads(
  windows: readonly RereadWindow[],
  regained: readonly RegainedSource[],
): Rereads {
  const sum = (pick: (window: RereadWindow) => readonly Omit<RegainedSource, "turn">[]): RereadCalls =>
    windows.map(pick).map(callsOf).reduce(added, { files: 0, reads: 0, commands: 0 });
  const regainedIn = ({ start, length }: RereadWindow): readonly RegainedSource[] =>
    regained.filter(({ turn }) => turn >= start && turn < start + length);
  const after = sum((window) => window.after);
  const before = sum((window) => window.before);
  return {
    compactions: windows.length,
    rounds: windows.reduce((rounds, { length }) => rounds + length, 0),
    after,
    before,
    observed: {
      files: after.files - before.files,
      reads: after.reads - before.reads,
      commands: after.commands - before.commands,
    },
    predicted: sum(regainedIn),
    matched: windows.reduce((count, window) => {
      const expected = filesOf(regainedIn(window));
      return count + [...filesOf(window.after)].filter((key) => expected.has(key)).length;
    }, 0),
  };
}

const filesOf = (calls: readonly Omit<RegainedSource, "turn">[]): ReadonlySet<number> =>
  new Set(calls.flatMap((call) => (call.class === "disk" ? [call.key] : [])));

const callsOf = (calls: readonly Omit<RegainedSource, "turn">[]): RereadCalls => ({
  files: filesOf(calls).size,
  reads: calls.filter((call) => call.class === "disk").length,
  commands: calls.filter((call) => call.class === "again").length,
});

const added = (one: RereadCalls, other: RereadCalls): RereadCalls => ({
  files: one.files + other.files,
  reads: one.reads + other.reads,
  commands: one.commands + other.commands,
});

/** Those of several conversations together. */
export function addRereads(one: Rereads | undefined, other: Rereads): Rereads {
  if (one === undefined) return other;
  return {
    compactions: one.compactions + other.compactions,
    rounds: one.rounds + other.rounds,
    after: added(one.after, other.after),
    before: added(one.before, other.before),
    observed: added(one.observed, other.observed),
    predicted: added(one.predicted, other.predicted),
    matched: one.matched + other.matched,
  };
}

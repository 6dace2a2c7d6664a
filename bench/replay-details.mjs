/** Tiers that replace messages by less. */
const COMPACTIONS = new Set(["full", "notes", "truncate"]);
const TOOLS_SHOWN = 8;
/** Turns since the last compaction: up to so many. */
const DISTANCES = [1, 5, 20, 50, Infinity];

/**
 * What was not in the context of the turn that used it, over several conversations: by kind of reference, by tool,
 * and by how long ago the last compaction was. They must have been played with `missing` and `series`.
 */
export function whereMissing(played, policy) {
  const kinds = new Map();
  const tools = new Map();
  const distances = new Map();
  let count = 0;
  for (const { result } of played) {
    const { missing, series } = result.policies[policy];
    for (const { turn, tool, kind } of missing) {
      count += 1;
      add(kinds, kind);
      add(tools, tool);
      add(distances, distanceOf(series, turn));
    }
  }
  return { count, kinds: shares(kinds, count), tools: shares(tools, count), turns: shares(distances, count) };
}

/** Milliseconds of turns in which something was cleared or compacted, and of all others. */
export function whereBusy(played, policy) {
  const edited = [];
  const plain = [];
  for (const { result, tallies } of played) {
    const [times] = tallies[policy].cpu;
    result.policies[policy].series.forEach(({ edits }, at) =>
      (edits.length === 0 ? plain : edited).push(times[at]),
    );
  }
  return { edited: spreadOf(edited), plain: spreadOf(plain) };
}

/** A few lines for people. */
export function describeDetails({ missing: { count, ...groups }, busy: { edited, plain } }) {
  const lines = Object.entries(groups).map(([name, group]) => {
    const parts = Object.entries(group)
      .slice(0, TOOLS_SHOWN)
      .map(([key, { missing, share }]) => `${key} ${missing} (${Math.round(share * 100)}%)`);
    return `  by ${name}: ${parts.join(", ")}`;
  });
  const times = ({ turns, p50, p99 }) => `${turns} (p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms)`;
  return [
    `${count} references missing`,
    ...lines,
    `turns with an edit: ${times(edited)}, without: ${times(plain)}`,
  ].join("\n");
}

function spreadOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { turns: sorted.length, p50: at(0.5), p99: at(0.99) };
}

const add = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);

const shares = (counts, all) =>
  Object.fromEntries(
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([key, missing]) => [key, { missing, share: missing / all }]),
  );

function distanceOf(series, turn) {
  const last = series.findLast(
    (one) => one.turn <= turn && one.edits.some(({ tier }) => COMPACTIONS.has(tier)),
  );
  if (last === undefined) return "before any compaction";
  const turns = turn - last.turn + 1;
  const most = DISTANCES.find((limit) => turns <= limit);
  const least = (DISTANCES[DISTANCES.indexOf(most) - 1] ?? 0) + 1;
  return most === Infinity
    ? `from turn ${least} on`
    : least === most
      ? "first turn"
      : `turn ${least}–${most}`;
}

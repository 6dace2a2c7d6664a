/** The names that somebody may have meant: those that contain the text or are few letters away, nearest first. */
export function nearNames(text: string, names: readonly string[], most = 5): readonly string[] {
  const wanted = text.toLowerCase().slice(0, 64);
  return names
    .map((name) => ({ name, distance: distanceTo(wanted, name.toLowerCase()) }))
    .filter(
      ({ name, distance }) => distance <= Math.max(2, Math.floor(Math.min(wanted.length, name.length) / 3)),
    )
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

function distanceTo(wanted: string, name: string): number {
  if (wanted.length >= 3 && (name.includes(wanted) || (name.length >= 3 && wanted.includes(name)))) return 1;
  let row = Array.from({ length: name.length + 1 }, (_, index) => index);
  for (let at = 0; at < wanted.length; at += 1) {
    const next = [at + 1];
    for (let other = 0; other < name.length; other += 1) {
      const changed = (row[other] ?? 0) + (wanted[at] === name[other] ? 0 : 1);
      next.push(Math.min(changed, (row[other + 1] ?? 0) + 1, (next[other] ?? 0) + 1));
    }
    row = next;
  }
  return row[name.length] ?? Infinity;
}

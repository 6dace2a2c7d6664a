/**
 * Messages API models take a message of the system only after everything that the person's side says before the next
 * answer, and one at a time: there those of a turn go to its end, and `join` makes one of them where it can.
 */
export function systemLast<T>(
  turn: readonly T[],
  { isSystem, join }: { isSystem: (item: T) => boolean; join: (before: T, next: T) => T | undefined },
): readonly T[] {
  const system: T[] = [];
  for (const item of turn.filter(isSystem)) {
    const before = system.at(-1);
    const joined = before === undefined ? undefined : join(before, item);
    if (joined === undefined) system.push(item);
    else system[system.length - 1] = joined;
  }
  return system.length === 0 ? turn : [...turn.filter((item) => !isSystem(item)), ...system];
}

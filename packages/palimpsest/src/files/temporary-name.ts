/** A name for what is written beside a file before it takes its place. It says which process writes it. */
export const temporaryName = (): string =>
  `.palimpsest-${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;

/** The process that a temporary name speaks of; undefined for every other name. */
export function writerOfTemporary(name: string): number | undefined {
  const [, pid] = /^\.palimpsest-([1-9]\d{0,9})-[0-9a-z]+\.tmp$/.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

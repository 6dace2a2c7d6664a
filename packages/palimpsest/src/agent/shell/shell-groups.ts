import { endProcessGroup } from "../base/process-group.js";

/** The process groups that a session started and that may still be there, by their leaders' ids. */
export interface ShellGroups {
  readonly add: (leader: number) => void;
  readonly delete: (leader: number) => void;
  /** Ends them all; resolves when they are gone, or were killed. */
  readonly endAll: (graceMs: number) => Promise<void>;
}

export function createShellGroups(): ShellGroups {
  const leaders = new Set<number>();
  return {
    add: (leader) => void leaders.add(leader),
    delete: (leader) => void leaders.delete(leader),
    async endAll(graceMs) {
      const all = [...leaders];
      leaders.clear();
      await Promise.all(all.map((leader) => endProcessGroup(leader, graceMs)));
    },
  };
}

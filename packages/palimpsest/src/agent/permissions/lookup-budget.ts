/** How much the disk is asked for one command. */
export interface LookupBudget {
  /** False as soon as there is nothing left: what was to be looked at is not known then. */
  readonly takes: (path: string) => boolean;
  /** Steps taken so far: one for each part of a path. */
  readonly spent: () => number;
}

const MAX_STEPS = 40_000;

export function createLookupBudget(limit = MAX_STEPS): LookupBudget {
  let spent = 0;
  return {
    takes(path) {
      if (spent >= limit) return false;
      spent += 1 + path.split("/", limit).length;
      return spent <= limit;
    },
    spent: () => spent,
  };
}

const MAX_LOOKS = 30_000;

/** The same for whoever goes through directories: false as soon as there were this many looks. */
export function createLookCount(limit = MAX_LOOKS): () => boolean {
  let looks = 0;
  return () => {
    looks += 1;
    return looks <= limit;
  };
}

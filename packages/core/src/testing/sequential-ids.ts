import type { Ids } from "../messages/construct.js";

/** `prefix-1`, `prefix-2` and so on. */
export function sequentialIds(prefix: string): Ids {
  let count = 0;
  return {
    next() {
      count += 1;
      return `${prefix}-${count}`;
    },
  };
}

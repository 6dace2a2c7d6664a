import { hashMessage } from "../../messages/hash.js";
import type { RequestMessage } from "../../messages/content.js";

/** How many messages two requests begin with that are the same to a provider. */
export function sharedBeginning(before: readonly RequestMessage[], now: readonly RequestMessage[]): number {
  const most = Math.min(before.length, now.length);
  for (let index = 0; index < most; index += 1) {
    const [old, next] = [before[index], now[index]];
    if (old === undefined || next === undefined) return index;
    if (old !== next && hashMessage(old) !== hashMessage(next)) return index;
  }
  return most;
}

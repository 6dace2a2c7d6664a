import type { RequestMessage } from "../../messages/content.js";
import type { EditPosition } from "../boundaries/clearing-boundary.js";
import { applyCached, decideCached, type CachedContext } from "./cached-edits.js";
import { endOfRequest, placeCachedEdits } from "./cached-edits-request.js";
import type { ClearPlan } from "./decision.js";

/** What goes from the provider's cache, and the place in the next request that says so. */
export interface CachedDeletion {
  readonly plan: ClearPlan;
  readonly position: EditPosition;
}

/** Clearing inside a cached prefix, for providers that offer it: handed in, because hardly any does. */
export interface CachedClearing {
  readonly decide: (
    context: CachedContext,
    messages: readonly RequestMessage[],
  ) => CachedDeletion | undefined;
  readonly apply: typeof applyCached;
  readonly place: typeof placeCachedEdits;
}

/** What the engine does with a server that offers `cache_edits`. */
export const cachedClearing: CachedClearing = {
  decide(context, messages) {
    const plan = decideCached(context);
    const position = endOfRequest(messages);
    return plan.kind === "clear" && position !== undefined ? { plan, position } : undefined;
  },
  apply: applyCached,
  place: placeCachedEdits,
};

import type { BilledCall } from "../../messages/billed-calls.js";
import type { CallsPrice } from "../events/calls-price.js";
import { priceCall } from "./price-call.js";

/** Both prices of these calls together. */
export function priceCalls(calls: readonly BilledCall[]): CallsPrice {
  let [dollars, withoutCache, unpricedCalls] = [0, 0, 0];
  for (const call of calls) {
    const price = priceCall(call);
    if (price === undefined) unpricedCalls += 1;
    else {
      dollars += price.dollars;
      withoutCache += price.withoutCache;
    }
  }
  return { dollars, withoutCache, unpricedCalls };
}

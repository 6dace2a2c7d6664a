export { isWholeTotals, type TotalsRecord } from "./messages/totals-record.js";
export { callsToldBy } from "./engine/conversation/totals-account.js";
export { priceOf, type Priced, type Unpriced } from "./engine/money/price-of.js";
export type { CallPrice } from "./engine/money/price-call.js";
export { totals } from "./engine/conversation/totals.js";

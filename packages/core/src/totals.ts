export { isWholeTotals, type TotalsRecord } from "./messages/totals-record.js";
export { callsToldBy } from "./engine/conversation/totals-account.js";
export { totals } from "./engine/conversation/totals.js";

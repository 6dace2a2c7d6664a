import type { Message, SystemMessage } from "./message.js";

/** Says in the transcript what a conversation knows at this place: all of it, or what has changed of it. */
export interface TotalsRecord extends SystemMessage {
  readonly subtype: "totals";
  /** All of it: what it has cost included. */
  readonly totals?: unknown;
  readonly change?: unknown;
}

/** By its subtype alone: what it holds may come from a file and be anything. */
export const isTotals = (message: Message): message is TotalsRecord =>
  message.type === "system" && message.subtype === "totals";

/** Where everything that was paid for before is added up. */
export const isWholeTotals = (message: Message): message is TotalsRecord =>
  isTotals(message) && message.totals !== undefined;

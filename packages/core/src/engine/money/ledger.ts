import type { BilledCall } from "../../messages/billed-calls.js";
import type { EventEmitter } from "../events/emitter.js";
import { addCall, type Account } from "./account.js";
import { priceCalls } from "./price-calls.js";

/** The account of a running conversation, and which of its calls no message of the transcript tells of yet. */
export interface Ledger {
  readonly account: Account;
  /** The part of it that the transcript tells of. */
  readonly told: Account;
  /** `isStored`: a message that is stored anyway tells of them. */
  add(calls: readonly BilledCall[], options?: { readonly isStored?: boolean }): void;
  /** Writes into the transcript what is in no message. One that fails is tried again with the next; never rejects. */
  save(): Promise<void>;
}

export interface LedgerPorts {
  /** What a resumed conversation has cost so far. */
  readonly account: Account;
  readonly events: EventEmitter;
  readonly store: (calls: readonly BilledCall[]) => Promise<void>;
}

export function createLedger({ account: before, events, store }: LedgerPorts): Ledger {
  let account = before;
  let told = before;
  let unsaved: readonly BilledCall[] = [];
  return {
    get account() {
      return account;
    },
    get told() {
      return told;
    },
    add(calls, { isStored = false } = {}) {
      for (const call of calls) {
        account = addCall(account, call);
        events.emit("call_billed", { ...call, price: priceCalls([call]) });
      }
      if (isStored) told = calls.reduce(addCall, told);
      else unsaved = [...unsaved, ...calls];
    },
    async save() {
      const calls = unsaved;
      if (calls.length === 0) return;
      unsaved = [];
      try {
        await store(calls);
        told = calls.reduce(addCall, told);
      } catch {
        unsaved = [...calls, ...unsaved];
      }
    },
  };
}

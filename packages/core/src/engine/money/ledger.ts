import type { BilledCall } from "../../messages/billed-calls.js";
import type { EventEmitter } from "../events/emitter.js";
import { addCall, emptyAccount, type Account } from "./account.js";

/** The account of a running conversation, and which of its calls no message of the transcript tells of yet. */
export interface Ledger {
  readonly account: Account;
  /** `isStored`: a message that is stored anyway tells of them. */
  add(calls: readonly BilledCall[], options?: { readonly isStored?: boolean }): void;
  /** Writes into the transcript what is in no message. One that fails is tried again with the next; never rejects. */
  save(): Promise<void>;
}

export interface LedgerPorts {
  readonly events: EventEmitter;
  readonly store: (calls: readonly BilledCall[]) => Promise<void>;
}

export function createLedger({ events, store }: LedgerPorts): Ledger {
  let account = emptyAccount;
  let unsaved: readonly BilledCall[] = [];
  return {
    get account() {
      return account;
    },
    add(calls, { isStored = false } = {}) {
      for (const call of calls) {
        account = addCall(account, call);
        events.emit("call_billed", call);
      }
      if (!isStored) unsaved = [...unsaved, ...calls];
    },
    async save() {
      const calls = unsaved;
      if (calls.length === 0) return;
      unsaved = [];
      try {
        await store(calls);
      } catch {
        unsaved = [...calls, ...unsaved];
      }
    },
  };
}

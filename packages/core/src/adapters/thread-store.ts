import type { EventEmitter } from "../engine/events/emitter.js";
import { createMemoryStandIns } from "../tree/memory-stand-ins.js";
import type { StandInStore, StoredChain } from "../tree/stand-in-store.js";
import { keyAfter, type Place } from "./message-print.js";

/** So many places are asked for at once: most often the first few are enough. */
const AT_ONCE = 64;
/** So often room is made again for one list: more says something of the store. */
const MOST_AGAIN = 20;

export interface FoundChain extends StoredChain {
  readonly place: Place;
}

/** The store of an adapter. One that fails costs what it would have saved, and never a request. */
export class ThreadStore {
  readonly #store: StandInStore;
  readonly #events: EventEmitter | undefined;

  constructor(store: StandInStore | undefined, events: EventEmitter | undefined) {
    this.#events = events;
    this.#store =
      store ?? createMemoryStandIns({ onDropped: (dropped) => events?.emit("stand_ins_dropped", dropped) });
  }

  /** What `read` makes of what is kept for the first of these places that it can read. */
  async find<T>(places: Iterable<Place>, read: (found: FoundChain) => T | undefined): Promise<T | undefined> {
    let batch: Place[] = [];
    const all = places[Symbol.iterator]();
    for (;;) {
      while (batch.length < AT_ONCE) {
        const { done, value } = all.next() as IteratorResult<Place, undefined>;
        if (done === true) break;
        batch.push(value);
      }
      if (batch.length === 0) return undefined;
      const found = await this.#firstOf(batch);
      const made = found && read(found);
      if (made !== undefined) return made;
      batch = found === undefined ? [] : batch.slice(batch.indexOf(found.place) + 1);
    }
  }

  async #firstOf(places: readonly Place[]): Promise<FoundChain | undefined> {
    const chain = await this.#ask(places.map(({ key }) => key));
    const place = places.find(({ key }) => key === chain?.key);
    if (chain === undefined || place === undefined) return undefined;
    if (place.isAnswer) return { ...chain, place };
    let newest = chain;
    for (let times = 0; times < MOST_AGAIN; times += 1) {
      const next = await this.#ask([keyAfter(newest.key)]);
      if (next === undefined) break;
      newest = next;
    }
    return { ...newest, place };
  }

  async #ask(keys: readonly string[]): Promise<StoredChain | undefined> {
    try {
      return await this.#store.find(keys);
    } catch (error) {
      this.#failed("find", error);
      return undefined;
    }
  }

  /** What is kept under the key now; undefined where nobody knows. */
  async insert(key: string, value: string, from: string | undefined): Promise<string | undefined> {
    try {
      return await this.#store.insert(key, value, from);
    } catch (error) {
      this.#failed("insert", error);
      return undefined;
    }
  }

  #failed(operation: "find" | "insert", error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#events?.emit("stand_in_store_failed", { operation, message });
  }
}

import type { EventEmitter } from "../engine/events/emitter.js";
import type { Thread } from "./thread.js";

export interface HeldThreadsOptions {
  readonly maxThreads?: number | undefined;
  readonly maxHeldCharacters?: number | undefined;
  readonly events?: EventEmitter | undefined;
}

const MOST_CHARACTERS = 64_000_000;

/** The conversations that are in memory, by the place they have come to. */
export class HeldThreads {
  readonly #options: HeldThreadsOptions;
  /** Longest not heard of first. */
  readonly #threads = new Set<Thread>();
  readonly #places = new Map<string, Set<Thread>>();

  constructor(options: HeldThreadsOptions) {
    this.#options = options;
  }

  /** Those that have come to this place, the newest last. */
  at(place: string): readonly Thread[] {
    return [...(this.#places.get(place) ?? [])];
  }

  hasSession(session: string): boolean {
    for (const thread of this.#threads) if (thread.session === session) return true;
    return false;
  }

  /** The conversation has come to another place. */
  move(thread: Thread, place: string): void {
    this.drop(thread);
    thread.place = place;
    this.#threads.add(thread);
    const there = this.#places.get(place) ?? new Set();
    this.#places.set(place, there.add(thread));
  }

  drop(thread: Thread): void {
    this.#threads.delete(thread);
    const there = this.#places.get(thread.place);
    there?.delete(thread);
    if (there?.size === 0) this.#places.delete(thread.place);
  }

  /**
   * Lets those go that were longest not heard of, and tells it. One whose answer is on the way comes back with it; one that is
   * being observed stays.
   */
  makeRoom(): void {
    const { maxThreads = Infinity, maxHeldCharacters = MOST_CHARACTERS, events } = this.#options;
    let characters = 0;
    for (const { transcript } of this.#threads) characters += transcript.characters;
    for (const thread of this.#threads) {
      const isTooMany = this.#threads.size > maxThreads;
      if (!isTooMany && characters <= maxHeldCharacters) return;
      if (thread.pending !== undefined) continue;
      this.drop(thread);
      characters -= thread.transcript.characters;
      events?.emit("conversation_evicted", {
        ...thread.ids,
        characters: thread.transcript.characters,
        limit: isTooMany ? "maxThreads" : "maxHeldCharacters",
        held: this.#threads.size,
      });
    }
  }
}

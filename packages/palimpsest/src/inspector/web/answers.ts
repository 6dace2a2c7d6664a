import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { SourceError, type DataSource } from "./data-source.js";

/** What is known of an answer. While it is asked for again, the value is the one before. */
export interface Answer<T> {
  readonly value: T | null;
  readonly failure: SourceError | null;
  readonly isLoading: boolean;
}

export interface Answers {
  /** Asked for at the first call; a component that reads it is drawn again when it changes. */
  of<T>(path: string): ReadonlySignal<Answer<T>>;
  /** Asks again for all that is shown and begins so; what is not shown is forgotten. */
  refresh(prefix: string): void;
}

interface Entry {
  readonly state: Signal<Answer<unknown>>;
  isShown: boolean;
  isStale: boolean;
  isLoading: boolean;
  failedAt: number;
}

/** What has failed is asked for again when it is wanted again, but not at once. */
const PATIENCE = 5_000;
/** How many answers are kept that nobody looks at. */
const KEPT = 120;

const failureOf = (error: unknown): SourceError =>
  error instanceof SourceError
    ? error
    : new SourceError({ code: "failed", status: 0, message: "The answer could not be read." });

export function createAnswers(source: DataSource): Answers {
  const entries = new Map<string, Entry>();

  const load = async (path: string, entry: Entry): Promise<void> => {
    if (entry.isLoading) {
      entry.isStale = true;
      return;
    }
    entry.isLoading = true;
    do {
      entry.isStale = false;
      try {
        entry.state.value = { value: await source.get(path), failure: null, isLoading: false };
      } catch (error) {
        entry.failedAt = Date.now();
        entry.state.value = { value: entry.state.peek().value, failure: failureOf(error), isLoading: false };
      }
    } while (entry.isStale);
    entry.isLoading = false;
  };

  const forget = (): void => {
    if (entries.size <= KEPT) return;
    for (const [path, entry] of entries) {
      if (entries.size <= KEPT) return;
      if (!entry.isShown && !entry.isLoading) entries.delete(path);
    }
  };

  const create = (path: string): Entry => {
    const entry: Entry = {
      state: signal<Answer<unknown>>(
        { value: null, failure: null, isLoading: true },
        {
          watched: () => {
            entry.isShown = true;
          },
          unwatched: () => {
            entry.isShown = false;
          },
        },
      ),
      isShown: false,
      isStale: false,
      isLoading: false,
      failedAt: 0,
    };
    void load(path, entry);
    return entry;
  };

  return {
    of: <T>(path: string) => {
      const known = entries.get(path);
      const entry = known ?? create(path);
      // The newest is the last one: the first ones are forgotten first.
      entries.delete(path);
      entries.set(path, entry);
      if (known === undefined) forget();
      else if (
        entry.state.peek().failure !== null &&
        !entry.isShown &&
        Date.now() - entry.failedAt > PATIENCE
      ) {
        void load(path, entry);
      }
      return entry.state as ReadonlySignal<Answer<T>>;
    },
    refresh: (prefix) => {
      for (const [path, entry] of entries) {
        if (!path.startsWith(prefix)) continue;
        if (entry.isShown || entry.isLoading) void load(path, entry);
        else entries.delete(path);
      }
    },
  };
}

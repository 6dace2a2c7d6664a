import { createHash } from "node:crypto";
import type { Database } from "./database.js";

/** One connection that can listen: a `Client` of `pg`, connected to the server itself and not to a pooler. */
export interface ListeningClient extends Database {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  on(event: "notification", listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: "error" | "end", listener: () => void): unknown;
}

const CHANNEL = "palimpsest_appended";
const COALESCED_MS = 20;
/** A notification holds at most 8,000 bytes. */
const MOST_MARKS = 300;
const RECONNECT_MS = 1000;

/** What stands for a conversation on the channel, which every role can hear. */
export const markOf = (tenant: string, id: string): string =>
  createHash("sha256").update(`${tenant}\0${id}`).digest("base64url").slice(0, 16);

/** Says that conversations have grown, or are gone: once in a while for all of them, because inside the append it would cost several times the append. */
export function createNotifier(database: Database): { readonly grown: (mark: string) => void } {
  let marks = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const send = async (): Promise<void> => {
    timer = undefined;
    const all = [...marks];
    marks = new Set();
    for (let at = 0; at < all.length; at += MOST_MARKS) {
      const payload = all.slice(at, at + MOST_MARKS).join(" ");
      // A hint that is lost costs a follower one interval of polling.
      await database.query("select pg_notify($1, $2)", [CHANNEL, payload]).catch(() => undefined);
    }
  };
  return {
    grown(mark) {
      marks.add(mark);
      timer ??= setTimeout(() => void send(), COALESCED_MS);
    },
  };
}

export interface Hints {
  /** Calls `heard` when the conversation may have grown. Gives what ends that. */
  subscribe(mark: string, heard: () => void): () => void;
  close(): Promise<void>;
}

/** Listens on one connection, and again on another where that is lost. Whoever subscribes still has to look by himself. */
export function createHints(connect: () => ListeningClient): Hints {
  const listeners = new Map<string, Set<() => void>>();
  let client: ListeningClient | undefined;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  const wakeAll = (): void => {
    for (const set of listeners.values()) for (const heard of set) heard();
  };
  const lose = (gone: ListeningClient): void => {
    if (client !== gone) return;
    client = undefined;
    void gone.end().catch(() => undefined);
    if (isClosed || listeners.size === 0) return;
    retry = setTimeout(start, RECONNECT_MS);
    retry.unref();
  };
  const start = (): void => {
    if (client !== undefined || isClosed) return;
    const made = connect();
    client = made;
    made.on("error", () => lose(made));
    made.on("end", () => lose(made));
    made.on("notification", ({ payload = "" }) => {
      for (const mark of payload.split(" ")) for (const heard of listeners.get(mark) ?? []) heard();
    });
    void made
      .connect()
      .then(() => made.query(`listen ${CHANNEL}`))
      // What was appended meanwhile was not heard.
      .then(wakeAll, () => lose(made));
  };

  return {
    subscribe(mark, heard) {
      const set = listeners.get(mark) ?? new Set();
      set.add(heard);
      listeners.set(mark, set);
      start();
      return () => {
        set.delete(heard);
        if (set.size === 0) listeners.delete(mark);
      };
    },
    async close() {
      isClosed = true;
      clearTimeout(retry);
      const open = client;
      client = undefined;
      await open?.end().catch(() => undefined);
    },
  };
}

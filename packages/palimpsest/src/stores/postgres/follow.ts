import { TranscriptError, type Message } from "@palimpsest/core";
import { decodeLine } from "@palimpsest/core/engine";
import { untilAnswered } from "./database.js";
import { textOf, type EntryRow } from "./entry-bytes.js";
import { onAbort } from "./on-abort.js";
import type { Statements } from "./statements.js";

export interface FollowOptions {
  /** Where to begin, as `next` of an earlier event says; 0 and by default: at the first message. */
  readonly from?: number;
  readonly signal?: AbortSignal;
  /** How often it looks where nothing is heard: 10 milliseconds or more. */
  readonly pollMs?: number;
}

export interface FollowedMessage {
  readonly message: Message;
  /** The place of its line. */
  readonly seq: number;
  /** From where to follow on after it, in any process. */
  readonly next: number;
}

const AT_ONCE = 500;
/** For so long a follower waits for a database that is away. */
const PATIENCE_MS = 60_000;

/** Messages as they are stored, in order and each once, until it is called off or the conversation is deleted: then it throws `not_found`. As they stand in the table: a boundary may name an earlier one for what people said. */
export async function* followEntries(
  id: string,
  { statements, subscribe }: { statements: Statements; subscribe: (heard: () => void) => () => void },
  { from = 0, signal, pollMs = 1000 }: FollowOptions,
): AsyncGenerator<FollowedMessage, void, undefined> {
  if (!Number.isSafeInteger(from) || from < 0) {
    throw new TranscriptError("io", "from must be a whole number, as next of an earlier event says.");
  }
  if (!(pollMs >= 10))
    throw new TranscriptError("io", "pollMs must be a number of milliseconds, at least 10.");
  const patience = { signal, patienceMs: PATIENCE_MS };
  let place = from;
  let wake: (() => void) | undefined;
  let hasHeard = false;
  const heard = (): void => {
    hasHeard = true;
    wake?.();
  };
  const unsubscribe = subscribe(heard);
  const unhear = onAbort(signal, heard);
  let wasThere = from > 0;
  const checkThere = async (): Promise<void> => {
    const head = await untilAnswered(() => statements.headOf(id), patience);
    // One that is shorter than what was read is another one of the same name.
    if (head === undefined ? wasThere : head < place) {
      throw new TranscriptError("not_found", `Conversation ${id} was deleted.`);
    }
    wasThere ||= head !== undefined;
  };
  const isOver = (): boolean => signal?.aborted === true;
  try {
    while (!isOver()) {
      hasHeard = false;
      const rows = await untilAnswered(() => statements.readAfter(id, place, AT_ONCE), patience);
      if (rows.length === 0) await checkThere();
      else wasThere = true;
      for (const row of rows) {
        place = row.seq + row.size;
        const message = messageOf(row);
        if (message !== undefined) yield { message, seq: row.seq, next: place };
        if (isOver()) return;
      }
      if (rows.length === AT_ONCE || hasHeard) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
    }
  } finally {
    unsubscribe();
    unhear();
  }
}

function messageOf(row: EntryRow): Message | undefined {
  const decoded = decodeLine(textOf(row));
  return decoded.kind === "message" ? decoded.message : undefined;
}

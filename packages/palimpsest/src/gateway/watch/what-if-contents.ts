import { deflateRawSync } from "node:zlib";
import type { Message } from "@palimpsest/core";
import { hashValue } from "@palimpsest/core/engine";
import { RecentMap } from "./recent-map.js";
import type { Recorded, Recordings } from "./recorder.js";

/** The lines of a conversation's transcript: compressed pieces of it, and the rest as it is. */
export interface KeptTranscript {
  readonly pieces: readonly Uint8Array[];
  readonly rest: string;
}

/** What conversations held, for as long as the process lives, so that they can be played through other policies. */
export interface WhatIfContents extends Recordings {
  /** Those that were heard of last first. */
  readonly transcripts: () => readonly KeptTranscript[];
  /** Conversations that are not among them, by the reason. */
  readonly leftOut: () => Readonly<Record<string, number>>;
}

/** Compressed, so that it is some times as much. */
const MOST_BYTES = 256 * 1024 * 1024;
/** So much is compressed at once: lines one by one would take more time, and more memory too. */
const PIECE = 16 * 1024;
/** What a message takes beside what it holds (its id, its place, what was answered to it), and a conversation. */
const OF_A_MESSAGE = 400;
const OF_A_CONVERSATION = 2000;
/** Conversations of which a number is remembered, so that what was left out stays out and is counted once. */
const MOST_NUMBERS = 500_000;

interface Transcript extends Recorded {
  readonly pieces: Uint8Array[];
  rest: string;
  bytes: number;
}

/** Of conversations that do not fit any more, the one that was longest not heard of goes first. */
export function createWhatIfContents(mostBytes = MOST_BYTES): WhatIfContents {
  const kept = new RecentMap<string, Transcript>();
  const out = new Set<number>();
  const counts: Record<string, number> = {};
  let bytes = 0;

  const take = (transcript: Transcript, more: number): void => {
    transcript.bytes += more;
    bytes += more;
  };

  const leaveOut = (place: string, reason: string): void => {
    bytes -= kept.get(place)?.bytes ?? 0;
    kept.delete(place);
    counts[reason] = (counts[reason] ?? 0) + 1;
    if (out.size < MOST_NUMBERS) out.add(numberOf(place));
  };

  const isTooMuch = (): boolean => bytes > mostBytes;

  const makeRoom = (): void => {
    const reason = `not kept: more than ${Math.round(mostBytes / 1024 / 1024)} MB of contents`;
    while (isTooMuch()) {
      const [oldest] = kept.oldest() ?? [];
      if (oldest === undefined) return;
      leaveOut(oldest, reason);
    }
  };

  const open = (place: string): Transcript => {
    const uuids = new Set<string>();
    let hasAnswer = false;
    const transcript: Transcript = {
      pieces: [],
      rest: "",
      bytes: 0,
      has: (uuid) => uuids.has(uuid),
      message(message) {
        uuids.add(message.uuid);
        if (kept.get(place) !== transcript) return;
        if (message.type === "assistant" && !hasAnswer) {
          hasAnswer = true;
          // What came before was never seen: whether its cache was warm, and what it cost, nobody knows.
          if (!isWithUsage(message)) return leaveOut(place, "began before the gateway");
        }
        const line = `${JSON.stringify(message)}\n`;
        transcript.rest += line;
        // Most texts take one byte for a character, some two.
        take(transcript, line.length * 2 + OF_A_MESSAGE);
        if (transcript.rest.length >= PIECE) compressRest(transcript);
        makeRoom();
      },
      request: () => {},
    };
    take(transcript, OF_A_CONVERSATION);
    return transcript;
  };

  const compressRest = (transcript: Transcript): void => {
    // A copy: what comes back holds on to a buffer of 16 KB, whatever its length.
    const piece = new Uint8Array(deflateRawSync(transcript.rest, { level: 1 }));
    transcript.pieces.push(piece);
    take(transcript, piece.length + OF_A_MESSAGE - transcript.rest.length * 2);
    transcript.rest = "";
  };

  return {
    file(place) {
      const known = kept.get(place);
      if (known === undefined && out.has(numberOf(place))) return undefined;
      const transcript = known ?? open(place);
      kept.set(place, transcript);
      return transcript;
    },
    transcripts: () => Array.from(kept.newestFirst(), ({ pieces, rest }) => ({ pieces, rest })),
    leftOut: () => ({ ...counts }),
  };
}

/** What a whole number holds of a hash. */
const numberOf = (place: string): number => Number.parseInt(hashValue(place).slice(0, 13), 16);

const isWithUsage = (message: Message): boolean =>
  message.type === "assistant" && "usage" in message.message && message.message.usage !== undefined;

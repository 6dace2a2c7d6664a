import { deflateRawSync } from "node:zlib";
import type { Message } from "@palimpsest/core";
import type { Recorded, Recordings } from "./recorder.js";

/** A conversation's transcript, its lines compressed one by one. */
export type CompressedTranscript = readonly Uint8Array[];

/** What conversations held, for as long as the process lives, so that they can be played through other policies. */
export interface WhatIfContents extends Recordings {
  readonly transcripts: () => readonly CompressedTranscript[];
  /** Conversations that are not among them, by the reason. */
  readonly leftOut: () => Readonly<Record<string, number>>;
}

/** Compressed, so that it is some times as much. */
const MOST_BYTES = 256 * 1024 * 1024;
/** What a line takes beside what it holds: its id, its place. */
const OF_A_LINE = 500;
/** Conversations whose names are remembered, so that what was left out stays out. */
const MOST_NAMES = 100_000;

interface Transcript extends Recorded {
  readonly lines: Uint8Array[];
  bytes: number;
}

/** Of conversations that do not fit any more, the one that was longest not heard of goes first. */
export function createWhatIfContents(mostBytes = MOST_BYTES): WhatIfContents {
  const kept = new Map<string, Transcript>();
  const out = new Map<string, string>();
  let bytes = 0;

  const leaveOut = (place: string, reason: string): void => {
    bytes -= kept.get(place)?.bytes ?? 0;
    kept.delete(place);
    if (out.size < MOST_NAMES) out.set(place, reason);
  };

  const open = (place: string): Transcript => {
    const uuids = new Set<string>();
    let hasAnswer = false;
    const transcript: Transcript = {
      lines: [],
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
        // A copy: what comes back holds on to a buffer of 16 KB, whatever its length.
        const line = new Uint8Array(deflateRawSync(`${JSON.stringify(message)}\n`, { level: 1 }));
        transcript.lines.push(line);
        transcript.bytes += line.length + OF_A_LINE;
        bytes += line.length + OF_A_LINE;
        for (const oldest of kept.keys()) {
          if (bytes <= mostBytes) break;
          leaveOut(oldest, `not kept: more than ${Math.round(mostBytes / 1024 / 1024)} MB of contents`);
        }
      },
      request: () => {},
    };
    return transcript;
  };

  return {
    file(place) {
      const known = kept.get(place);
      if (known === undefined && out.has(place)) return nothing;
      const transcript = known ?? open(place);
      kept.delete(place);
      kept.set(place, transcript);
      return transcript;
    },
    transcripts: () => [...kept.values()].map(({ lines }) => lines),
    leftOut() {
      const counts: Record<string, number> = {};
      for (const reason of out.values()) counts[reason] = (counts[reason] ?? 0) + 1;
      return counts;
    },
  };
}

/** In place of one that is left out. */
const nothing: Recorded = { has: () => true, message: () => {}, request: () => {} };

const isWithUsage = (message: Message): boolean =>
  message.type === "assistant" && "usage" in message.message && message.message.usage !== undefined;

import {
  createPositionedPlayer,
  notOffered,
  type ObservingPlayer,
  type PlannedResponse,
} from "./positioned-player.js";

export interface LoadPlayerOptions {
  /** About how many bytes each call's result has, where a shell is offered. */
  readonly resultBytes: number;
  /** Parallel calls in every response. Default 1. */
  readonly callsPerTurn?: number;
  /** The tool to call. Default: whatever shell is offered. */
  readonly tool?: string;
  /** How many responses with calls, before it says that it is done. Default: it never is. */
  readonly turns?: number;
}

const LINE_BYTES = 64;

/**
 * Calls tools without end: each result about `resultBytes` long and unlike every other. Where no shell is
 * offered, it says so and ends the turn.
 */
export function createLoadPlayer(options: LoadPlayerOptions): ObservingPlayer {
  const { resultBytes, callsPerTurn = 1, tool, turns = Infinity } = options;
  const lines = Math.max(1, Math.round(resultBytes / LINE_BYTES));

  const responseAt = (index: number): PlannedResponse | undefined =>
    index >= turns
      ? undefined
      : {
          blocks: Array.from({ length: Math.max(1, callsPerTurn) }, (_, call) => ({
            type: "call" as const,
            call: {
              ...(tool === undefined ? {} : { tool }),
              kind: "shell" as const,
              input: {
                command: outputCommand(`${index}.${call}`, lines),
                description: `Load ${index}.${call}`,
              },
            },
          })),
        };

  return createPositionedPlayer({
    responseAt,
    faultsBefore: () => [],
    closing: "The load is done.",
    substitute: (call) => ({ type: "text", text: notOffered(call) }),
  });
}

/** Prints that many lines of 64 bytes: POSIX only, one process, exit code 0. */
function outputCommand(name: string, lines: number): string {
  const label = `load ${name} line `;
  // Seven digits and the line break are part of the line.
  const filler = "the quick brown fox jumps over the lazy dog".slice(
    0,
    Math.max(0, LINE_BYTES - label.length - 9),
  );
  return `awk 'BEGIN { for (i = 1; i <= ${lines}; i++) printf "${label}%07d ${filler}\\n", i }'`;
}

import type { Player } from "../player.js";
import { createEchoPlayer } from "./echo-player.js";
import { createLoadPlayer } from "./load-player.js";
import { parseScript } from "./parse-script.js";
import { PlayerError } from "../player-error.js";
import { createScriptPlayer } from "./script-player.js";
import { isSummaryMode, summaryModes, withSummaries, type SummaryMode } from "./summaries-player.js";

/** What a player needs from the world; the composition hands it in. */
export interface PlayerSources {
  /** The text of a file. May throw. */
  readFile(path: string): string;
  /** The player of a recording. Without it, `recording:` is refused. May throw. */
  openRecording?(path: string): Player;
  /** How requests for summaries are answered; overrides what the specification says. */
  readonly summaries?: SummaryMode;
}

const playerHelp =
  "echo, load[:SIZE[:TURNS[:CALLS]]], script:FILE, recording:FILE, each with +summaries=MODE";

/**
 * The player that a person asked for: `echo`, `load:10kb`, `load:10kb:500`, `script:FILE`, `recording:FILE`, any of
 * them with `+summaries=MODE` (`mediocre` unless told otherwise). Requests for summaries and notes are answered in
 * front of every player. Throws a `PlayerError` that says what is wrong and what would be right.
 */
export function parsePlayer(specification: string, sources: PlayerSources): Player {
  const { base, mode } = splitMode(specification);
  const separator = base.indexOf(":");
  const name = (separator < 0 ? base : base.slice(0, separator)).trim();
  const value = separator < 0 ? "" : base.slice(separator + 1);
  return withSummaries(parseBase(name, value, sources), { mode: sources.summaries ?? mode });
}

function parseBase(name: string, value: string, sources: PlayerSources): Player {
  switch (name) {
    case "echo":
      if (value !== "") throw bad(`"echo" takes no value, not "${value}"`);
      return createEchoPlayer();
    case "load":
      return parseLoad(value);
    case "script":
      return parseScriptFile(value, sources);
    case "recording":
      if (value === "") throw bad('"recording" needs a file: recording:FILE');
      if (sources.openRecording === undefined) throw bad("recordings cannot be played here");
      return sources.openRecording(value);
    default:
      throw bad(`there is no player "${name}" (known: ${playerHelp})`);
  }
}

function splitMode(specification: string): { readonly base: string; readonly mode: SummaryMode } {
  const match = /^(.*)\+summaries=([^+]*)$/s.exec(specification);
  if (match === null) return { base: specification, mode: "mediocre" };
  const mode = match[2] ?? "";
  if (!isSummaryMode(mode)) throw bad(`summaries are ${summaryModes.join(", ")}, not "${mode}"`);
  return { base: match[1] ?? "", mode };
}

function parseLoad(value: string): Player {
  const [size = "", turns, calls, more] = value === "" ? ["10kb"] : value.split(":");
  if (more !== undefined) throw bad(`"load:${value}" has too many parts: load:SIZE:TURNS:CALLS`);
  return createLoadPlayer({
    resultBytes: parseSize(size),
    ...(turns === undefined ? {} : { turns: parseCount(turns, "turns") }),
    ...(calls === undefined ? {} : { callsPerTurn: parseCount(calls, "calls") }),
  });
}

function parseSize(size: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(b|k|kb|kib|m|mb|mib)?$/i.exec(size.trim());
  if (match === null) throw bad(`"${size}" is not a size like 500, 10kb or 1mb`);
  const factors: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 * 1024 };
  const bytes = Math.round(Number(match[1]) * (factors[(match[2] ?? "b").charAt(0).toLowerCase()] ?? 1));
  if (bytes < 1 || bytes > 100 * 1024 * 1024) throw bad(`"${size}" is not between 1 byte and 100mb`);
  return bytes;
}

function parseCount(text: string, what: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || !Number.isSafeInteger(count))
    throw bad(`"${text}" is not a number of ${what}`);
  return count;
}

function parseScriptFile(path: string, sources: PlayerSources): Player {
  if (path === "") throw bad('"script" needs a file: script:FILE');
  try {
    return createScriptPlayer(parseScript(sources.readFile(path)));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const code = cause instanceof PlayerError ? cause.code : "bad-player";
    throw new PlayerError(code, `${path}: ${reason}`, { cause });
  }
}

const bad = (message: string): PlayerError => new PlayerError("bad-player", message);

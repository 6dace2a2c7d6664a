import { join } from "node:path";
import type { Context, Script } from "node:vm";
import { looksBinary } from "../../files/looks-binary.js";
import { readBytesInside } from "../../files/read-bytes-inside.js";
import type { PathGuard } from "../base/path-guard.js";
import { readGlobPattern } from "./glob-pattern.js";
import {
  MAX_LINE_CHARACTERS,
  SINGLE_FILE,
  type GrepEnding,
  type GrepQuery,
  type TakeFinding,
} from "./grep-query.js";
import { extensionsOf } from "./language-extensions.js";
import { listFiles } from "./list-files.js";

export interface PlainGrep {
  readonly query: GrepQuery;
  /** Absolute, as links lead; a directory, or a file. */
  readonly real: string;
  readonly isDirectory: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly take: TakeFinding;
}

const MAX_BYTES = 5 * 1024 * 1024;
/** An expression can take for ever on one file. */
const FILE_TIMEOUT_MS = 1000;

/** Searches without ripgrep: slower, with JavaScript's expressions. Rejects only when it is called off. */
export async function runPlainGrep(guard: PathGuard, search: PlainGrep): Promise<GrepEnding> {
  const { query, real, isDirectory, timeoutMs, signal, take } = search;
  const lines = await createLineFinder(query);
  if (typeof lines === "string") return { kind: "failed", message: lines };
  const until = performance.now() + timeoutMs;
  const names = isDirectory ? await filesOf(guard, search) : [SINGLE_FILE];
  if (typeof names === "string") return { kind: "failed", message: names };
  for (const name of names) {
    signal.throwIfAborted();
    if (performance.now() > until) return { kind: "timed-out" };
    const path = isDirectory ? join(real, name) : real;
    const read = await readBytesInside(guard.disk, path, { bounds: guard.bounds, maxBytes: MAX_BYTES });
    if (read.kind !== "bytes" || looksBinary(read.bytes)) continue;
    const text = new TextDecoder().decode(read.bytes);
    const found = lines(text);
    if (found === undefined) return { kind: "timed-out" };
    if (found.length > 0 && !report({ name, text, found, query, take })) break;
  }
  return { kind: "done" };
}

async function filesOf(
  guard: PathGuard,
  { query, real, signal }: PlainGrep,
): Promise<readonly string[] | string> {
  const { glob = "**/*", type } = query;
  const isExcept = glob.startsWith("!");
  const bare = isExcept ? glob.slice(1) : glob;
  const read = readGlobPattern(bare.includes("/") ? bare : `**/${bare}`);
  if (read.kind === "refused") return read.reason;
  const extensions = type === undefined ? undefined : extensionsOf(type);
  if (type !== undefined && extensions === undefined) return `unrecognized file type: ${type}`;
  const { names } = await listFiles(guard, {
    directory: real,
    pattern: isExcept ? "**/*" : read.pattern,
    except: isExcept ? read.pattern : undefined,
    signal,
  });
  return extensions === undefined
    ? names
    : names.filter((name) => extensions.some((extension) => name.endsWith(`.${extension}`)));
}

/** Which lines of a text match, counted from 0; undefined where that takes too long. */
type LineFinder = (text: string) => readonly number[] | undefined;

/** Runs where it can be stopped: one machine of its own, which knows the expression and the text alone. */
const FIND_LINES = `(() => {
  const found = [];
  if (!isMultiline) {
    const lines = text.split("\\n");
    for (let at = 0; at < lines.length; at += 1) if (expression.test(lines[at])) found.push(at);
    return found;
  }
  let line = 0, from = 0;
  for (const match of text.matchAll(expression)) {
    for (let at = text.indexOf("\\n", from); at >= 0 && at < match.index; at = text.indexOf("\\n", at + 1)) {
      line += 1;
      from = at + 1;
    }
    const last = line + match[0].replace(/\\n$/, "").split("\\n").length - 1;
    for (let at = line; at <= last; at += 1) if (found.at(-1) === undefined || found.at(-1) < at) found.push(at);
  }
  return found;
})()`;

async function createLineFinder(query: GrepQuery): Promise<LineFinder | string> {
  const flags = `${query.ignoresCase ? "i" : ""}${query.isMultiline ? "gms" : ""}u`;
  const { createContext, Script: VmScript } = await import("node:vm");
  const world: Record<string, unknown> = {
    pattern: query.pattern,
    flags,
    text: "",
    isMultiline: query.isMultiline,
  };
  const context: Context = createContext(world);
  try {
    new VmScript("expression = new RegExp(pattern, flags)").runInContext(context);
  } catch (error) {
    return error instanceof Object && "message" in error ? String(error.message) : "the pattern is wrong";
  }
  const script: Script = new VmScript(FIND_LINES);
  return (text) => {
    world["text"] = text;
    try {
      return [...(script.runInContext(context, { timeout: FILE_TIMEOUT_MS }) as readonly number[])];
    } catch {
      return undefined;
    }
  };
}

interface FoundIn {
  readonly name: string;
  readonly text: string;
  readonly found: readonly number[];
  readonly query: GrepQuery;
  readonly take: TakeFinding;
}

/** False when it is enough. */
function report({ name, text, found, query, take }: FoundIn): boolean {
  if (query.mode === "files_with_matches") return take({ kind: "file", name });
  if (query.mode === "count") return take({ kind: "count", name, count: found.length });
  const lines = text.split("\n");
  const matches = new Set(found);
  let shown = -1;
  for (const match of found) {
    const first = Math.max(shown + 1, match - query.before);
    const last = Math.min(lines.length - 1, match + query.after);
    for (let at = first; at <= last; at += 1) {
      if (at === lines.length - 1 && lines[at] === "" && !matches.has(at)) break;
      const isApart = query.before + query.after > 0 && at > shown + 1;
      shown = at;
      const whole = (lines[at] ?? "").replace(/\r$/, "");
      const line = whole.length > MAX_LINE_CHARACTERS ? `${whole.slice(0, MAX_LINE_CHARACTERS)} […]` : whole;
      if (!take({ kind: "line", name, line: at + 1, text: line, isMatch: matches.has(at), isApart }))
        return false;
    }
  }
  return true;
}

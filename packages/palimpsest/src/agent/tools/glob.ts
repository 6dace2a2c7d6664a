import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as yieldOnce } from "node:timers/promises";
import type { PathGuard } from "../base/path-guard.js";
import { quotedPath } from "../base/shown-path.js";
import { readGlobPattern } from "./glob-pattern.js";
import { textField } from "../base/input-fields.js";
import { failure } from "./save-file.js";
import { foundPath, openSearchPlace } from "./search-directory.js";
import type { AgentTool } from "../base/tool.js";

export interface GlobToolOptions {
  readonly guard: PathGuard;
  /** Default 20 seconds. */
  readonly timeoutMs?: number;
}

const MAX_SHOWN = 100;
/** How many are put in the order of their times. */
const MAX_SORTED = 20_000;
const BATCH = 500;

const definition = {
  name: "Glob",
  description: [
    "Finds files by name, the most recently changed first, at most 100.",
    "Patterns: `*` and `?` within a name, `**` for any directories, `{a,b}`, `[abc]`. `*.ts` looks in one directory, `**/*.ts` in all below it.",
    "What git ignores, .git and node_modules are left out, unless path or pattern lead into them.",
  ].join("\n"),
  input_schema: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        description: "The pattern that paths have to fit, such as `src/**/*.test.ts`.",
      },
      path: { type: "string", description: "The directory to search. Default: the working directory." },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
} as const;

/** Finds files by name. */
export function createGlobTool({ guard, timeoutMs = 20_000 }: GlobToolOptions): AgentTool {
  return {
    definition,
    isReadOnly: () => true,
    subject: (input) => ({ kind: "read", paths: [textField(input, "path") ?? guard.workingDirectory] }),
    async run(input, context) {
      const read = readGlobPattern(textField(input, "pattern") ?? "");
      if (read.kind === "refused") return failure(read.reason);
      const place = await openSearchPlace(guard, read.directory ?? textField(input, "path"));
      if (place.kind === "refused") return failure(place.reason);
      if (place.kind === "other") return failure(`${quotedPath(place.path)} is not a directory. Use Read.`);
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        const signal = AbortSignal.any([context.signal, deadline]);
        const { pattern } = read;
        const { listFiles } = await import("./list-files.js");
        const { names, isCut } = await listFiles(guard, { directory: place.real, pattern, signal });
        const newest = await newestFirst(place.real, names, signal);
        const nameless = namelessNote(names, newest);
        if (newest.length === 0) return { content: ["No files found.", ...nameless].join("\n") };
        const shown = newest.slice(0, MAX_SHOWN).map((name) => foundPath(guard, place, name));
        return { content: [...shown, ...notesOf(newest.length, isCut), ...nameless].join("\n") };
      } catch (error) {
        context.signal.throwIfAborted();
        if (!deadline.aborted) throw error;
        return failure("The search took too long. Name a smaller directory as path, or a closer pattern.");
      } finally {
        await place.opened.close();
      }
    },
  };
}

/** Names that are no text cannot be written down, and so name nothing. */
function namelessNote(names: readonly string[], found: readonly string[]): readonly string[] {
  const known = new Set(found);
  const count = names.filter((name) => name.includes("\uFFFD") && !known.has(name)).length;
  if (count === 0) return [];
  const files = count === 1 ? "1 more file has a name" : `${count} more files have names`;
  return [
    `[${files} that is not UTF-8 text, and cannot be named here. Use Bash, with patterns such as ls *.txt.]`,
  ];
}

function notesOf(count: number, isCut: boolean): readonly string[] {
  if (isCut) return ["[The tree is too large and was not searched to its end: name a smaller directory.]"];
  if (count <= MAX_SHOWN) return [];
  const newest = count > MAX_SORTED ? "" : "newest ";
  return [`[The ${newest}${MAX_SHOWN} of ${count} files are shown: use a closer pattern for the others.]`];
}

/** Too many stay in the order of their names. */
async function newestFirst(
  directory: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (names.length > MAX_SORTED) return names;
  const times = new Map<string, number>();
  for (let at = 0; at < names.length; at += BATCH) {
    for (const name of names.slice(at, at + BATCH)) {
      const mtime = mtimeOf(join(directory, name));
      if (mtime !== undefined) times.set(name, mtime);
    }
    await yieldOnce();
    signal.throwIfAborted();
  }
  return [...times.keys()].toSorted((left, right) => (times.get(right) ?? 0) - (times.get(left) ?? 0));
}

/** Undefined for what is no longer there. */
function mtimeOf(path: string): number | undefined {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}

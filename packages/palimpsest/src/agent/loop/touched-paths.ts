import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isFields } from "../base/fields.js";
import { wayInside } from "../base/real-path.js";
import type { PermissionSubject, ToolInput } from "../base/tool.js";
import { factsOfCall, meaningsOf, type CallPlaces } from "../permissions/call-facts.js";
import { namedPaths } from "../permissions/command-paths.js";
import { createLookupBudget } from "../permissions/lookup-budget.js";

interface TouchingCall {
  readonly subject: PermissionSubject;
  readonly input: ToolInput;
  /** A server's tool: nobody knows which of its fields are paths. */
  readonly isMcp: boolean;
}

/** Whoever names more of them searches, and works on none of them. */
const MOST_PATHS = 20;
const MOST_STEPS = 2000;
const MOST_TEXTS = 50;
const LONGEST = 1000;
const DEEPEST = 5;

/**
 * The files and directories below the working directory that a call has to do with, as far as its input says: those that
 * it names, words of a command, texts in the input of a server's tool. Directories end with a slash. Only what is there
 * counts. Never throws.
 */
export function touchedPaths(call: TouchingCall, places: CallPlaces): readonly string[] {
  const { workingDirectory } = places;
  const found = new Set<string>();
  try {
    for (const path of candidates(call, places)) {
      if (found.size >= MOST_PATHS) break;
      if (wayInside(workingDirectory, path) === undefined || path === workingDirectory) continue;
      const status = statSync(path, { throwIfNoEntry: false });
      if (status !== undefined) found.add(status.isDirectory() ? `${path}/` : path);
    }
  } catch {
    // A name that no disk takes names nothing.
  }
  return [...found];
}

function candidates({ subject, input, isMcp }: TouchingCall, places: CallPlaces): readonly string[] {
  const { workingDirectory } = places;
  if (isMcp)
    return textsIn(input, DEEPEST)
      .slice(0, MOST_TEXTS)
      .map((text) => resolve(workingDirectory, withoutScheme(text)));
  const { command, directory = workingDirectory, paths = [] } = subject;
  if (command === undefined) return paths.map((path) => resolve(workingDirectory, path));
  const { command: judged } = factsOfCall({ toolName: "Bash", input, subject }, places);
  if (judged === undefined) return [];
  const budget = createLookupBudget(MOST_STEPS);
  const from = { ...places, workingDirectory: directory };
  const named = (["read", "edit"] as const).flatMap(
    (kind) => namedPaths(judged, { kind, places: from, budget, meanings: meaningsThere }).paths,
  );
  return [directory, ...named];
}

/** Most words of a command name nothing that is there: then where links lead need not be asked. */
function meaningsThere(name: string, places: CallPlaces): readonly string[] {
  const isPlain = !name.startsWith("~") && !name.includes("..");
  return isPlain && isAbsent(resolve(places.workingDirectory, name)) ? [] : meaningsOf(name, places);
}

function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

const withoutScheme = (text: string): string => {
  if (!text.startsWith("file://")) return text;
  try {
    return fileURLToPath(text);
  } catch {
    return text;
  }
};

function textsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string")
    return value !== "" && value.length <= LONGEST && !/[\0\n]/.test(value) ? [value] : [];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.slice(0, MOST_TEXTS).flatMap((item) => textsIn(item, depth - 1));
  if (!isFields(value)) return [];
  return Object.values(value)
    .slice(0, MOST_TEXTS)
    .flatMap((item) => textsIn(item, depth - 1));
}

import type { Message } from "../../messages/message.js";
import type { CompactableTools } from "../tools/compactable-tools.js";
import type { SummaryVariant } from "../events/summary-variant.js";
import { baseName, isWithin, pathKey, resolveIn } from "../../messages/paths.js";
import type { ReadStateSnapshot, RememberedRead } from "../tools/read-state.js";
import type { SkippedItem, SkipReason } from "./restored.js";
import type { LineRange } from "./line-range.js";
import { visibleFiles } from "./visible-files.js";

/** The names under which memory files come through the system prompt. */
export const memoryFileNames: readonly string[] = ["AGENTS.md", "CLAUDE.md"];

/**
 * Files that never come back as files. A path covers the file, or the directory with all that is below it; a
 * relative one starts at the working directory.
 */
export interface FileExclusions {
  /** Beside the plan that the host names itself. */
  readonly planPaths?: readonly string[];
  /** Default `memoryFileNames`. */
  readonly memoryNames?: readonly string[];
  /** What else the system prompt shows of people's instructions: rules, imports, files by other names. */
  readonly memoryPaths?: readonly string[];
  /** The agent's own state: todos, notes, transcripts. */
  readonly ownPaths?: readonly string[];
}

export interface FileChoiceOptions {
  readonly keptMessages: readonly Message[];
  readonly variant: SummaryVariant;
  readonly tools: CompactableTools;
  readonly exclude: FileExclusions;
  /** Where relative paths of calls start. */
  readonly workingDirectory: string;
}

export interface FileCandidate {
  readonly read: RememberedRead;
  readonly parts: readonly LineRange[];
}

export interface FileChoice {
  /** Can be read again, the most recently read first; with the lines that the kept messages show. */
  readonly candidates: readonly FileCandidate[];
  /** The kept messages still show them, or parts of them, as the read-state knows them, the most recently read first. */
  readonly kept: readonly RememberedRead[];
  /** What is excluded by rule. */
  readonly skipped: readonly SkippedItem[];
}

/** Which files can be read again after a compaction, but for what is excluded. */
export function chooseFiles(snapshot: ReadStateSnapshot, options: FileChoiceOptions): FileChoice {
  const { keptMessages, tools, exclude, workingDirectory } = options;
  const visible = visibleFiles(keptMessages, {
    tools,
    resolvePath: (path) => resolveIn(workingDirectory, path),
  });
  const excluded = exclusionOf(exclude, workingDirectory);
  const candidates: FileCandidate[] = [];
  const kept: RememberedRead[] = [];
  const skipped: SkippedItem[] = [];
  const seen = new Set<string>();
  for (const read of snapshot.reads) {
    const key = pathKey(read.path);
    if (seen.has(key)) continue;
    seen.add(key);
    const shown = visible.get(key);
    const isVisible = isShown(read, shown?.at, options.variant);
    if (isVisible) kept.push(read);
    const isWhole = isVisible && shown?.parts === undefined;
    const reason =
      excluded(read) ?? (isWhole ? "visible" : read.hasFailed === true ? "failed-before" : undefined);
    if (reason === undefined) candidates.push({ read, parts: isVisible ? (shown?.parts ?? []) : [] });
    else skipped.push({ channel: "files", path: read.path, reason });
  }
  return { candidates, kept, skipped };
}

/**
 * Whether what the model still sees is what the read-state knows. A kept tail holds the newest read, if it holds
 * one at all; a kept beginning may hold an older one, which is as good as none.
 */
function isShown(read: RememberedRead, shownAt: number | undefined, variant: SummaryVariant): boolean {
  if (shownAt === undefined) return false;
  return variant !== "from" || Number.isNaN(shownAt) || read.timestamp <= shownAt;
}

/** By which rule a file is excluded; undefined for one that is not. */
function exclusionOf(
  { planPaths = [], memoryNames = memoryFileNames, memoryPaths = [], ownPaths = [] }: FileExclusions,
  workingDirectory: string,
): (read: RememberedRead) => SkipReason | undefined {
  const covers = (paths: readonly string[]): ((path: string) => boolean) => {
    const absolute = paths.filter((path) => path !== "").map((path) => resolveIn(workingDirectory, path));
    return (path) => absolute.some((covering) => isWithin(covering, path));
  };
  const isPlan = covers(planPaths);
  const isOwn = covers(ownPaths);
  const isInPrompt = covers(memoryPaths);
  return ({ path, isMemory }) => {
    if (isPlan(path)) return "plan";
    if (isMemory === true || memoryNames.includes(baseName(path)) || isInPrompt(path)) return "memory";
    return isOwn(path) ? "own-state" : undefined;
  };
}

import type { Clock } from "../../messages/construct.js";
import type { Attachment } from "../../messages/message.js";
import { memoryFileNames } from "./choose-files.js";
import { directoriesTo, displayPath, pathKey, resolveIn } from "../../messages/paths.js";
import type { FileAccess, FileText } from "../ports/file-access.js";
import type { ReadState, RememberedRead } from "../tools/read-state.js";
import type { RestoredMemory } from "./ports/restored-memory.js";

/** Rule files beside the memory files: which ones apply is the host's matter (globs, front matter). */
export interface MemoryRules {
  /** Paths of rules that hold for this path wherever they stand: the user's, the organisation's. */
  readonly forPath: (path: string) => Promise<readonly string[]>;
  /** Paths of the rules of one directory that match this path. */
  readonly inDirectory: (directory: string, path: string) => Promise<readonly string[]>;
}

export interface NestedMemoryOptions {
  readonly workingDirectory: string;
  readonly files: FileAccess;
  readonly readState: Pick<ReadState, "has" | "remember">;
  readonly clock: Clock;
  readonly rules?: MemoryRules;
  /** Names of memory files. Default `memoryFileNames`. */
  readonly names?: readonly string[];
  /** Whether a memory file may be loaded. Default: what the files allow. */
  readonly isPermitted?: (path: string) => boolean | Promise<boolean>;
  /** Characters of one file. Default 40,000. */
  readonly maxCharacters?: number;
  /** Told what went wrong: nothing is ever raised. */
  readonly onError?: (error: unknown, path: string) => void;
  /** Told of each file that was attached, with the path that led to it. Waited for. */
  readonly onLoaded?: (path: string, trigger: string) => void | Promise<void>;
}

/** Memory files of the directories that an agent gets into. */
export interface NestedMemory extends RestoredMemory {
  /** The agent touched this path: what belongs to it is loaded at the end of the turn. A trailing `/` says directory. */
  readonly touch: (path: string) => void;
  /**
   * At the end of a turn: what has to be attached for what was touched, each file once; or for these paths alone,
   * whatever else was touched. Enters it into the read-state. Never rejects.
   */
  readonly handleTriggers: (paths?: readonly string[]) => Promise<readonly Attachment[]>;
  /** After a compaction: everything may come again. */
  readonly reset: () => void;
}

const MAX_CHARACTERS = 40_000;

/** Finds the memory files that belong to paths a model works with, each once. */
export function createNestedMemory(options: NestedMemoryOptions): NestedMemory {
  const { workingDirectory, files, readState, clock, isPermitted } = options;
  const { maxCharacters = MAX_CHARACTERS } = options;
  let triggers = new Set<string>();
  /** Attached, being read, or refused. */
  let processed = new Set<string>();

  const complain = (error: unknown, path: string): void => {
    try {
      options.onError?.(error, path);
    } catch {
      // A log that fails has nowhere to say so.
    }
  };

  /** Undefined for what is not there, or may not be loaded. */
  const load = async (path: string): Promise<FileText | undefined> => {
    if ((await isPermitted?.(path)) === false) return undefined;
    const outcome = await files.read(path, { maxCharacters, isNumbered: false });
    if (outcome.kind === "text") return outcome;
    // It may be made later, and is then looked for again.
    if (outcome.kind === "gone") processed.delete(pathKey(path));
    else complain(new Error(`a memory file could not be read: ${outcome.kind}`), path);
    return undefined;
  };

  const attach = ({
    path,
    text,
  }: Found): { readonly attachment: Attachment; readonly read: RememberedRead } => {
    const part = text.isTruncated ? { offset: 1, limit: text.lines } : {};
    const content = text.isTruncated
      ? `${text.content}\n[cut here: read the file for the rest]`
      : text.content;
    return {
      attachment: { type: "nested_memory", path, displayPath: displayPath(workingDirectory, path), content },
      read: {
        path,
        content: text.content,
        timestamp: clock.now(),
        mtime: text.mtime,
        isMemory: true,
        ...part,
      },
    };
  };

  /** What belongs to these paths, but for what is known; each text once, since some projects keep it under two names. */
  const find = async (
    touched: Iterable<string>,
    isKnown: (path: string) => boolean,
  ): Promise<readonly Found[]> => {
    const wanted = new Map<string, { readonly path: string; readonly trigger: string }>();
    for (const trigger of touched) {
      for (const path of await memoryPathsFor(trigger, { ...options, onError: complain })) {
        const key = pathKey(path);
        if (!wanted.has(key) && !isKnown(path)) wanted.set(key, { path, trigger });
      }
    }
    const loaded = await Promise.all(
      Array.from(wanted.values(), async ({ path, trigger }): Promise<readonly Found[]> => {
        try {
          const text = await load(path);
          return text === undefined || text.content.trim() === "" ? [] : [{ path, trigger, text }];
        } catch (error) {
          complain(error, path);
          return [];
        }
      }),
    );
    const seen = new Set<string>();
    return loaded.flat().filter(({ text }) => !seen.has(text.content) && seen.add(text.content));
  };

  return {
    touch: (path) => void triggers.add(path),
    async handleTriggers(paths) {
      const touched = paths ?? triggers;
      if (paths === undefined) triggers = new Set();
      const found = await find(touched, (path) => {
        const isKnown = processed.has(pathKey(path)) || readState.has(path);
        processed.add(pathKey(path));
        return isKnown;
      });
      const attached: Attachment[] = [];
      for (const one of found) {
        const { attachment, read } = attach(one);
        const { path, ...record } = read;
        readState.remember(path, record);
        attached.push(attachment);
        try {
          await options.onLoaded?.(path, one.trigger);
        } catch (error) {
          complain(error, path);
        }
      }
      return attached;
    },
    forFiles: async (paths, isKnown) => (await find(paths, isKnown)).map(attach),
    reset() {
      processed = new Set();
    },
  };
}

interface Found {
  readonly path: string;
  /** The path that led to it. */
  readonly trigger: string;
  readonly text: FileText;
}

/**
 * The files that may hold instructions for a path, in the order in which they are attached: rules for the path
 * itself, memory files and rules of the directories between, rules at the working directory.
 */
export async function memoryPathsFor(
  trigger: string,
  options: Pick<NestedMemoryOptions, "workingDirectory" | "names" | "rules" | "onError">,
): Promise<readonly string[]> {
  const { workingDirectory, names = memoryFileNames, rules, onError } = options;
  const path = resolveIn(workingDirectory, trigger);
  const asked = async (
    ask: (rules: MemoryRules) => Promise<readonly string[]>,
  ): Promise<readonly string[]> => {
    try {
      return rules === undefined ? [] : await ask(rules);
    } catch (error) {
      onError?.(error, path);
      return [];
    }
  };
  const isDirectory = /[\\/]$/.test(trigger);
  const paths = [...(await asked((rules) => rules.forPath(path)))];
  for (const directory of directoriesTo(workingDirectory, isDirectory ? `${path}/` : path)) {
    paths.push(...names.map((name) => resolveIn(directory, name)));
    paths.push(...(await asked((rules) => rules.inDirectory(directory, path))));
  }
  return [...paths, ...(await asked((rules) => rules.inDirectory(workingDirectory, path)))];
}

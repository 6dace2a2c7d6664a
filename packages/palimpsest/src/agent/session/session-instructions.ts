import type { EventEmitter } from "@palimpsest/core";
import { createNestedMemory, type NestedMemory, type ReadState } from "@palimpsest/core/restore";
import { join, resolve } from "node:path";
import { createFileAccess } from "../../files/file-access.js";
import type { HookCaller, HookInput, Hooks } from "../hooks/hooks.js";
import { createInstructionTest } from "../memory-files/instruction-test.js";
import type { MemoryProblem } from "../memory-files/memory-problem.js";
import { createMemoryReader } from "../memory-files/memory-reader.js";
import { createMemoryRules, isPersonalRule } from "../memory-files/memory-rules.js";
import { settingsSources } from "../settings/settings-files.js";
import { hidingFiles, type KeyHider } from "./key-hider.js";
import type { SessionOptions } from "./session-options.js";

export interface SessionInstructionsParts {
  /** From the repository's root to the working directory. */
  readonly directories: readonly string[];
  readonly hooks: Hooks;
  readonly hider: KeyHider;
  readonly isDenied: (path: string) => boolean;
  readonly now: () => number;
  /** Tells the person what is wrong with memory files. */
  readonly tell: (message: string) => void;
}

/** Whose memory it is. */
export interface MemoryOwner {
  readonly readState: ReadState;
  /** Of its conversation: says which files come back after a compaction. */
  readonly events: EventEmitter;
  /** For hooks. */
  readonly caller?: HookCaller;
}

type Loaded = HookInput<"InstructionsLoaded">;

/** The instructions of directories that agents get into, one memory for each agent. */
export function createSessionInstructions(
  { cwd, home, sources = settingsSources }: Pick<SessionOptions, "cwd" | "home" | "sources">,
  { directories, hooks, hider, isDenied, now, tell }: SessionInstructionsParts,
): (owner: MemoryOwner) => NestedMemory {
  const root = directories[0] ?? cwd;
  const rules = createMemoryRules({ workingDirectory: cwd, home, directoriesAbove: directories });
  const isInstruction = createInstructionTest({ workingDirectory: cwd, root });
  const filesIn = (roots: readonly string[]) => hidingFiles(createFileAccess({ roots, isDenied }), hider);
  const project = filesIn([root, cwd]);
  const files = filesIn([root, cwd, join(home, ".claude", "rules")]);

  return ({ readState, events, caller = {} }) => {
    const problems = new Map<string, MemoryProblem>();
    const imported = new Map<string, Map<string, string>>();
    const told = new Set<string>();

    const reader = createMemoryReader({
      files,
      imports: project,
      isImportable: isInstruction,
      isDenied,
      onProblem(problem) {
        if (told.has(problem.message)) return;
        told.add(problem.message);
        problems.set(problem.message, problem);
        tell(problem.message);
      },
      onImported(path, { parent, top }) {
        const known = imported.get(top) ?? new Map<string, string>();
        imported.set(top, known.set(path, parent));
      },
    });

    const loaded = async (path: string, how: Pick<Loaded, "loadReason" | "globs" | "triggerFilePath">) => {
      const memoryType = isPersonalRule(path, home) ? "User" : "Project";
      await hooks.run("InstructionsLoaded", { ...caller, filePath: path, memoryType, ...how });
      for (const [filePath, parentFilePath] of imported.get(path) ?? []) {
        const include = { filePath, memoryType, loadReason: "include", parentFilePath } as const;
        await hooks.run("InstructionsLoaded", { ...caller, ...include });
      }
    };

    const memory = createNestedMemory({
      workingDirectory: cwd,
      files: reader,
      readState,
      clock: { now },
      rules,
      async isPermitted(path) {
        if (isPersonalRule(path, home)) return sources.includes("user");
        return sources.includes("project") && (await isInstruction(path));
      },
      onLoaded: (path, trigger) => {
        const globs = rules.patternsOf(path);
        const triggerFilePath = resolve(cwd, trigger);
        return loaded(path, {
          ...(globs.length === 0
            ? { loadReason: "nested_traversal" }
            : { loadReason: "path_glob_match", globs }),
          triggerFilePath,
        });
      },
    });
    events.on("file_restored", ({ path }) => {
      if (readState.get(path)?.isMemory === true) void loaded(path, { loadReason: "compact" });
    });

    return {
      ...memory,
      async handleTriggers(paths) {
        const attachments = await memory.handleTriggers(paths);
        if (problems.size === 0) return attachments;
        const lines = [...problems.keys()].map((message) => `- ${message}`);
        problems.clear();
        const content = ["Instructions for this place could not all be loaded:", ...lines].join("\n");
        return [...attachments, { type: PROBLEMS, content }];
      },
    };
  };
}

const PROBLEMS = "nested_memory_problems";

import { platform, release } from "node:os";
import type { Hooks } from "../hooks/hooks.js";
import { loadMemoryFiles } from "../memory-files/load-memory-files.js";
import { memorySection } from "../memory-files/memory-section.js";
import { languageSentence } from "../settings/language.js";
import { settingsSources } from "../settings/settings-files.js";
import { promptName } from "../base/shown-path.js";
import { defaultShell } from "../shell/default-shell.js";
import { gitState } from "../shell/git-state.js";
import { shellEnvironment } from "../shell/shell-environment.js";
import type { ShellGroups } from "../shell/shell-groups.js";
import { skillSection } from "../skills/skill-listing.js";
import type { SessionOptions } from "./session-options.js";
import { optionalSections } from "./optional-sections.js";
import { createAgentPrompt, type AgentPrompt } from "./system-prompt.js";

interface PromptedAgent {
  /** What a subagent is for; left out for the main thread. */
  readonly role?: string;
  /** Whether it can load skills, and so has to know of them. */
  readonly hasSkills: boolean;
}

export interface SessionPrompts {
  readonly of: (agent: PromptedAgent) => AgentPrompt;
  /** Memory files are read again for the next request, because of a compaction. */
  readonly noteCompaction: () => void;
  /** The files whose text stands in the prompt. */
  readonly memoryPaths: () => readonly string[];
}

/** What the models of a session are told: where they are, and what people have written for them. */
export function createSessionPrompts(
  options: Pick<
    SessionOptions,
    | "cwd"
    | "home"
    | "configDirectory"
    | "skills"
    | "style"
    | "settings"
    | "sources"
    | "model"
    | "givenPrompt"
    | "signal"
    | "env"
    | "hiddenVariables"
  >,
  {
    hooks,
    now,
    hide,
    isDenied,
    groups,
    scratchpad,
    tell,
  }: {
    readonly hooks: Hooks;
    readonly now: () => number;
    readonly hide: (text: string) => string;
    /** What may not be read comes into no prompt. */
    readonly isDenied: (path: string) => boolean;
    /** Tells the person what is wrong with memory files. */
    readonly tell: (message: string) => void;
    /** Knows the processes that are started. */
    readonly groups: ShellGroups;
    /** A folder for files that nobody keeps; left out where the settings ask for none. */
    readonly scratchpad?: string | undefined;
  },
): SessionPrompts {
  const { cwd, home, configDirectory, skills, style, settings, sources = settingsSources } = options;
  let memoryPaths: readonly string[] = [];
  let reason: "session_start" | "compact" = "session_start";

  const memory = async (): Promise<string | undefined> => {
    const { files, loaded, problems } = await loadMemoryFiles({
      cwd,
      home,
      configDirectory,
      reason,
      includesProject: sources.includes("project"),
      includesLocal: sources.includes("local"),
      includesUser: sources.includes("user"),
      isDenied,
    });
    for (const { message } of problems) tell(message);
    memoryPaths = files.map(({ path }) => path);
    for (const one of loaded) await hooks.run("InstructionsLoaded", one, { signal: options.signal });
    return memorySection(files);
  };

  return {
    of: ({ role, hasSkills }) =>
      createAgentPrompt({
        hide,
        environment: () => environmentText(options, now()),
        git: () =>
          gitState({
            directory: cwd,
            env: shellEnvironment({ ...settings.env, ...options.env }, options.hiddenVariables),
            groups,
            isDenied,
          }),
        memory,
        skills: () => (hasSkills ? skillSection(skills.skills) : undefined),
        style: () => (style.text === "" ? undefined : style.text),
        language: () => (settings.language === undefined ? undefined : languageSentence(settings.language)),
        optional: () => optionalSections(settings.prompt, scratchpad),
        replaced: () => (role === undefined ? options.givenPrompt?.().system : undefined),
        appended: () => (role === undefined ? options.givenPrompt?.().appended : undefined),
        keepsCodingInstructions: style.keepsCodingInstructions,
        ...(role === undefined ? {} : { role }),
      }),
    noteCompaction() {
      reason = "compact";
    },
    memoryPaths: () => memoryPaths,
  };
}

function environmentText({ cwd, model }: Pick<SessionOptions, "cwd" | "model">, now: number): string {
  return [
    "# Where you are",
    `Working directory: ${promptName(cwd)}`,
    `System: ${platform()} ${release()}`,
    `Shell: ${defaultShell()}`,
    `Today: ${new Date(now).toISOString().slice(0, 10)}`,
    `Model: ${promptName(model)}`,
  ].join("\n");
}

import { join } from "node:path";
import type { PermissionMode } from "../agent/permissions/mode.js";
import { createPermissions } from "../agent/permissions/permissions.js";
import type { RuleLists } from "../agent/permissions/rule.js";
import { createBackgroundCommands } from "../agent/tools/background-commands.js";
import { createBashTool } from "../agent/tools/bash.js";
import { createSpill } from "../agent/tools/spill.js";

export interface CommandJudgeOptions {
  /** Where the agent was started: what commands may look at. */
  readonly root: string;
  /** Where the shell stands. Default: the root. */
  readonly directory?: string;
  readonly home: string;
  readonly rules?: RuleLists;
  readonly mode?: PermissionMode;
}

/** What the agent's permissions say of a command: it runs unasked where that is `allow`. */
export type CommandJudge = (command: string) => "allow" | "ask" | "deny";

/** The agent's own judgement, put together as a session does it. Nothing is run. */
export function createCommandJudge(options: CommandJudgeOptions): CommandJudge {
  const { root, directory = root, home, rules = {}, mode = "default" } = options;
  // Nothing is written there: only a command that runs would.
  const session = join(home, "session");
  const permissions = createPermissions({ mode, rules, workingDirectory: root, home });
  const bash = createBashTool({
    workingDirectory: directory,
    roots: [root],
    spill: createSpill({ directory: session }),
    background: createBackgroundCommands({ directory: session }),
    env: {},
  });
  return (command) => permissions.judge(bash, { command }).behavior;
}

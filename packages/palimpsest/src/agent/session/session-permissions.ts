import type { Agent } from "../loop/agent.js";
import type { PermissionMode } from "../permissions/mode.js";
import { createPermissions, type Permissions } from "../permissions/permissions.js";
import type { AgentTool, ToolInput } from "../base/tool.js";
import type { PlanMode } from "../tools/plan-mode.js";
import type { SessionOptions } from "./session-options.js";

/** What the agents of a session may do. While the agent plans, nobody changes anything. */
export function createSessionPermissions(
  { mode, cwd, home, settings }: Pick<SessionOptions, "mode" | "cwd" | "home" | "settings">,
  {
    planMode,
    folders,
  }: {
    readonly planMode: Pick<PlanMode, "isPlanMode" | "path" | "choose">;
    readonly folders: readonly string[];
  },
): Pick<Agent, "judge" | "permissionMode"> & Pick<Permissions, "isDenied" | "setMode"> {
  const permissions = createPermissions({
    mode,
    rules: settings.permissions,
    workingDirectory: cwd,
    additionalDirectories: [...settings.permissions.additionalDirectories, ...folders],
    home,
  });
  /** After a plan that was approved the ordinary rules hold. */
  let ordinary: PermissionMode = mode === "plan" ? "default" : mode;
  const now = (): PermissionMode => (planMode.isPlanMode() ? "plan" : ordinary);
  return {
    isDenied: permissions.isDenied,
    permissionMode: now,
    setMode(next) {
      planMode.choose(next === "plan");
      if (next !== "plan") ordinary = next;
    },
    judge(tool, input) {
      // The plan itself is written while everything else only reads.
      permissions.setMode(
        planMode.isPlanMode() && isEditOf(planMode.path, tool, input) ? "acceptEdits" : now(),
      );
      return permissions.judge(tool, input);
    },
  };
}

function isEditOf(path: string, tool: AgentTool, input: ToolInput): boolean {
  const { kind, paths = [] } = tool.subject(input);
  return kind === "edit" && paths.length > 0 && paths.every((one) => one === path);
}

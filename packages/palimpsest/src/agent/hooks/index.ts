export {
  joinHookSettings,
  readHookSettings,
  type CommandHook,
  type HookGroup,
  type HookSettingProblem,
  type HookSettings,
  type ReadHookSettings,
} from "./hook-settings.js";
export type { Matcher } from "./matcher.js";
export { createShellHooks, type JudgedCall, type ShellHookOptions } from "./shell-hooks.js";

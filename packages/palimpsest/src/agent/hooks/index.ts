export { asCompactHooks } from "./as-compact-hooks.js";
export { combineHooks } from "./combine-hooks.js";
export {
  createFunctionHooks,
  type FunctionHookOptions,
  type HookFunction,
  type HookRegistrations,
} from "./function-hooks.js";
export {
  joinHookSettings,
  readHookSettings,
  type CommandHook,
  type HookGroup,
  type HookSettingProblem,
  type HookSettings,
  type ReadHookSettings,
} from "./hook-settings.js";
export {
  hookNames,
  noHooks,
  type HookBlockReply,
  type HookCaller,
  type HookContextReply,
  type HookEvents,
  type HookInput,
  type HookName,
  type HookOutput,
  type HookPermission,
  type HookProblem,
  type HookReply,
  type HookRunOptions,
  type Hooks,
  type NoHookReply,
  type PermissionAnswer,
} from "./hooks.js";
export type { Matcher } from "./matcher.js";
export { mergeHookOutputs } from "./merge-hook-outputs.js";
export { createShellHooks, type JudgedCall, type ShellHookOptions } from "./shell-hooks.js";

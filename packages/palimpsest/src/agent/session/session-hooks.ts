import { noHooks, type Hooks } from "../hooks/hooks.js";
import { createShellHooks } from "../hooks/shell-hooks.js";
import { createRuleTest } from "../permissions/rule-test.js";
import type { SessionOptions } from "./session-options.js";

/** The commands that people have set up for events of a session. */
export function createSessionHooks(
  options: Pick<SessionOptions, "settings" | "cwd" | "home" | "env" | "onNotice" | "id" | "mode">,
  transcriptPath: string,
): Hooks {
  const { settings, cwd, home, env, onNotice, id, mode } = options;
  if (Object.keys(settings.hooks).length === 0) return noHooks;
  return createShellHooks({
    settings: settings.hooks,
    cwd,
    sessionId: id,
    transcriptPath,
    permissionMode: mode,
    env: { ...settings.env, ...env },
    matchesRule: createRuleTest({ workingDirectory: cwd, home }),
    onProblem: ({ event, hook, message }) => onNotice?.(`${event} hook ${hook}: ${message}`),
  });
}

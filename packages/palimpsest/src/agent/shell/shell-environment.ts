import { KEY_VARIABLES } from "../base/key-variables.js";

/** With them `cd src` and `cd ../src` would lead elsewhere than to the folder of that name, by which commands are judged. */
const MISLEADING = ["CDPATH", "PWD", "OLDPWD"];

/** What a command inherits: everything but keys of ours, the variables named, and what makes names mislead. */
export function shellEnvironment(env: NodeJS.ProcessEnv, hidden: readonly string[] = []): NodeJS.ProcessEnv {
  const out = new Set([...KEY_VARIABLES, ...MISLEADING, ...hidden].map((name) => name.toUpperCase()));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !out.has(name.toUpperCase())));
}

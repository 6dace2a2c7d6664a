import { KEY_VARIABLES } from "../../key-variables.js";

/** What a command inherits: everything but keys of ours and the variables named. */
export function shellEnvironment(env: NodeJS.ProcessEnv, hidden: readonly string[] = []): NodeJS.ProcessEnv {
  const out = new Set([...KEY_VARIABLES, ...hidden].map((name) => name.toUpperCase()));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !out.has(name.toUpperCase())));
}

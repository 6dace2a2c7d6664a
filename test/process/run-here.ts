import { Readable } from "node:stream";
import { run } from "../../packages/palimpsest/src/cli/run.js";
import { environmentOf, type Ended, type Folders } from "./agent-command.js";

/**
 * The command without a process: what it says is the same, and starting it costs nothing. For tables of cases; one of
 * each table is to go through the built command.
 */
export async function runHere(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = "",
): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  const code = await run(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    stdin: Readable.from([Buffer.from(input)]),
    env,
  });
  return { code, stdout, stderr };
}

/** The agent, as `runCommand` starts it. */
export const runAgentHere = (
  folders: Folders,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = "",
): Promise<Ended> => runHere([...args, "--cwd", folders.work], { ...environmentOf(folders), ...env }, input);

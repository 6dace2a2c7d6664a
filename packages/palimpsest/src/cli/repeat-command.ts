import { basename } from "node:path";

/** A line for a shell that runs this program again in the way in which it was started, with these arguments. */
export function repeatCommand(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
  program: string = process.argv[1] ?? "palimpsest",
): string {
  const [command = "", ...rest] = args;
  const quoted = rest.map(quote).join(" ");
  // A script of a package.json that is named after the command has its own flags already.
  if (env["npm_lifecycle_event"] === command) return `npm run ${command} -- ${quoted}`;
  if (env["npm_command"] === "exec") return `npx palimpsest ${command} ${quoted}`;
  if (basename(program) === "palimpsest") return `palimpsest ${command} ${quoted}`;
  return `node ${quote(program)} ${command} ${quoted}`;
}

const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

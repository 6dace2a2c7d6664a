/** Flags that take several values, one after the other, as programs of this ecosystem write them. */
const SEVERAL: ReadonlySet<string> = new Set([
  "--allowed-tools",
  "--allowedTools",
  "--disallowed-tools",
  "--disallowedTools",
  "--add-dir",
  "--mcp-config",
]);

/**
 * `--allowedTools Read Edit` with the flag before each value. Only where the prompt is known already, after `-p` or in
 * the first place: elsewhere the last of them may be the prompt.
 */
export function repeatFlags(args: readonly string[]): readonly string[] {
  if (!hasPrompt(args)) return args;
  const repeated: string[] = [];
  let flag: string | undefined;
  let values = 0;
  for (const [index, arg] of args.entries()) {
    if (arg === "--") return [...repeated, ...args.slice(index)];
    if (arg.startsWith("-")) {
      flag = SEVERAL.has(arg) ? arg : undefined;
      values = 0;
    } else {
      values += 1;
      if (flag !== undefined && values > 1) repeated.push(flag);
    }
    repeated.push(arg);
  }
  return repeated;
}

function hasPrompt(args: readonly string[]): boolean {
  if (args[0] !== undefined && !args[0].startsWith("-")) return true;
  return args.some((arg, index) => {
    if (arg.startsWith("--print=")) return true;
    const next = args[index + 1];
    return (arg === "-p" || arg === "--print") && next !== undefined && !next.startsWith("-");
  });
}

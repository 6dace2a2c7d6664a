import { InvalidArgumentError, type Command } from "commander";
import { demoParts, type DemoPart } from "../demo/demo-parts.js";
import type { DemoEnd } from "../demo/show-demo.js";
import type { Terminal } from "../terminal.js";

interface DemoFlags {
  readonly json?: boolean;
  readonly without: readonly DemoPart[];
}

/** `finish` is told the exit code of the command that ran. */
export function addDemoCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("demo")
    .description(
      "shows the agent at work until it has compacted several times, and what it has forgotten then",
    )
    .option("--json", "print the figures as one JSON document, and nothing else")
    .option(
      "--without <part>",
      `switch something off, to see what is lost: ${demoParts.join(", ")}`,
      partsOf,
      [],
    )
    .addHelpText(
      "after",
      [
        "",
        "No key, no network: the embedded model plays, on a copy of this project's sources, or on made-up ones, in a",
        "temporary folder.",
        "Exit code: 0 nothing was forgotten, 1 something was, 130 interrupted. See docs/demo.md.",
        "",
        "Example:",
        "  $ palimpsest demo --without restoration",
      ].join("\n"),
    )
    .action(async (flags: DemoFlags) => {
      finish(await demo(flags, terminal));
    });
}

function partsOf(text: string, before: readonly DemoPart[]): readonly DemoPart[] {
  const parts = text.split(",").map((name) => {
    const part = demoParts.find((one) => one === name.trim());
    if (part === undefined) throw new InvalidArgumentError(`There are ${demoParts.join(", ")}.`);
    return part;
  });
  return [...before, ...parts];
}

/** The first signal, or a reader that goes away, ends it in good order; the second signal is the system's own. */
async function demo({ json, without }: DemoFlags, terminal: Terminal): Promise<number> {
  const { showDemo } = await import("../demo/show-demo.js");
  const stop = new AbortController();
  const onSignal = (): void => stop.abort("interrupted" satisfies DemoEnd);
  const onError = ({ code }: NodeJS.ErrnoException): void =>
    stop.abort((code === "EPIPE" ? "unread" : "unwritable") satisfies DemoEnd);
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  process.once("SIGHUP", onSignal);
  process.stdout.on("error", onError);
  try {
    return await showDemo({
      terminal,
      columns: process.stdout.columns,
      without: new Set(without),
      isJson: json === true,
      signal: stop.signal,
      onLeave: onSignal,
      // Without somebody who may press keys there is nothing to draw for.
      ...(process.stdin.isTTY && process.stdout.isTTY
        ? { screen: { keys: process.stdin, stdout: process.stdout } }
        : {}),
    });
  } finally {
    process.removeListener("SIGINT", onSignal);
    process.removeListener("SIGTERM", onSignal);
    process.removeListener("SIGHUP", onSignal);
    process.stdout.removeListener("error", onError);
  }
}

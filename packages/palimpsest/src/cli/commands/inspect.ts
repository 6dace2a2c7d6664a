import { InvalidArgumentError, type Command } from "commander";
import { homedir } from "node:os";
import { readPort } from "../read-port.js";
import { createProgress, plural, type Terminal } from "../terminal.js";

interface InspectFlags {
  readonly port?: number;
  readonly open: boolean;
  readonly publicUrl?: string;
  readonly example?: boolean;
  readonly export?: string;
  readonly force?: boolean;
  readonly gateway?: string;
  readonly session?: string;
}

/** `finish` is told the exit code of the command that ran. */
export function addInspectCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("inspect")
    .description("shows what is in the context of conversations, request by request, and what it cost")
    .argument(
      "[file...]",
      "recorded conversations of any agent that is known, or folders of them (default: what Claude Code, Codex, pi, Gemini CLI, " +
        "gateways and this program keep on this machine)",
    )
    .option("--port <number>", "the port to listen on; 0 for any free one", readPort)
    .option("--no-open", "only print the address, instead of opening it in a browser")
    .option("--gateway <url>", "what goes through a gateway that runs on this machine and records")
    .option("--session <id>", "only the conversation of this id")
    .option("--public-url <url>", "the address under which a forwarded port is opened", readAddress)
    .option("--example", "a conversation that this program has with itself; it is made once, in some seconds")
    .option("--export <file>", "write one conversation to a file to share, and end: keys are taken out of it")
    .option("--force", "with --export: overwrite the file where it is there")
    .addHelpText(
      "after",
      "\nExamples:\n  $ palimpsest inspect\n  $ palimpsest inspect session.jsonl --port 4000\n" +
        "  $ palimpsest inspect --example\n  $ palimpsest inspect session.jsonl --export session.html\n\n" +
        "It listens on this machine alone, and answers only whoever has the address with all that stands after #.",
    )
    .action(async (paths: readonly string[], flags: InspectFlags) =>
      finish(await inspect(paths, flags, terminal)),
    );
}

async function inspect(named: readonly string[], flags: InspectFlags, terminal: Terminal): Promise<number> {
  const { dataDirectory } = await import("../../agent/session/session-folder.js");
  const { conversationsToInspect } = await import("../inspected-conversations.js");
  const { env } = terminal;
  const { gateway, session } = flags;
  const data = dataDirectory({ home: env["HOME"] || homedir(), env });
  const paths = flags.example === true ? [...named, await exampleFolder(data, terminal)] : named;
  const find = await conversationsToInspect({ paths, gateway, session }, terminal);
  if (find === undefined) return 1;
  const options = {
    find,
    dataDirectory: data,
    env,
    publicUrl: flags.publicUrl,
  };
  if (flags.export !== undefined) {
    const { exportToFile } = await import("../export-to-file.js");
    return exportToFile(options, {
      file: flags.export,
      overwrites: flags.force === true,
      takesLargest: flags.example === true,
      terminal,
    });
  }
  const { startInspector } = await import("../../inspector/live/start-inspector.js");
  const inspector = await startInspector({ ...options, port: flags.port });
  terminal.stdout.write(`inspecting at ${inspector.url}\n`);
  if (flags.open && terminal.stdout.isTTY === true) {
    const { openInBrowser } = await import("../open-in-browser.js");
    openInBrowser(inspector.url, env);
  }
  const { length } = await inspector.library.list();
  const count =
    length === 0
      ? "no conversations of a known agent yet: name a recording, or look at --example"
      : plural(length, "conversation");
  terminal.stderr.write(`palimpsest: ${count}; Ctrl+C ends it\n`);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await inspector.close();
  return 0;
}

async function exampleFolder(data: string, terminal: Terminal): Promise<string> {
  const { recordExample } = await import("../demo/record-example.js");
  const progress = createProgress(terminal.stderr);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new Error("interrupted; nothing of the example is left"));
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  try {
    return await recordExample({
      dataDirectory: data,
      path: terminal.env["PATH"] ?? "",
      signal: stop.signal,
      onProgress: (responses) => progress.show(`making the example: ${plural(responses, "answer")}`),
    });
  } finally {
    process.removeListener("SIGINT", onSignal);
    process.removeListener("SIGTERM", onSignal);
    progress.clear();
  }
}

function readAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("It is an address, such as https://box.example.com.");
}

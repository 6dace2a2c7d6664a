import { InvalidArgumentError, type Command } from "commander";
import { homedir } from "node:os";
import { plural, type Terminal } from "../terminal.js";
import { readPort } from "../read-port.js";

interface InspectFlags {
  readonly port?: number;
  readonly open: boolean;
  readonly publicUrl?: string;
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
      "recorded conversations of any agent that is known, or folders of them (default: those of this machine)",
    )
    .option("--port <number>", "the port to listen on; 0 for any free one", readPort)
    .option("--no-open", "only print the address, instead of opening it in a browser")
    .option("--gateway <url>", "what goes through a gateway that runs on this machine and records")
    .option("--session <id>", "only the conversation of this id")
    .option("--public-url <url>", "the address under which a forwarded port is opened", readAddress)
    .addHelpText(
      "after",
      "\nExample:\n  $ palimpsest inspect\n  $ palimpsest inspect session.jsonl --port 4000\n\n" +
        "It listens on this machine alone, and answers only whoever has the address with all that stands after #.",
    )
    .action(async (paths: readonly string[], flags: InspectFlags) =>
      finish(await inspect(paths, flags, terminal)),
    );
}

async function inspect(paths: readonly string[], flags: InspectFlags, terminal: Terminal): Promise<number> {
  const { dataDirectory } = await import("../../agent/session/session-folder.js");
  const { conversationsToInspect } = await import("../inspected-conversations.js");
  const { startInspector } = await import("../../inspector/live/start-inspector.js");
  const { env } = terminal;
  const { gateway, session } = flags;
  const find = await conversationsToInspect({ paths, gateway, session }, terminal);
  if (find === undefined) return 1;
  const inspector = await startInspector({
    find,
    dataDirectory: dataDirectory({ home: env["HOME"] || homedir(), env }),
    port: flags.port,
    publicUrl: flags.publicUrl,
  });
  terminal.stdout.write(`inspecting at ${inspector.url}\n`);
  const { length } = await inspector.library.list();
  terminal.stderr.write(`palimpsest: ${plural(length, "conversation")}; Ctrl+C ends it\n`);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await inspector.close();
  return 0;
}

function readAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("It is an address, such as https://box.example.com.");
}

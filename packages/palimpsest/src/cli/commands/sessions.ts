import type { Command } from "commander";
import { homedir } from "node:os";
import { formatNumber, printable, type Terminal } from "../terminal.js";

/** `finish` is told the exit code of the command that ran. */
export function addSessionsCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("sessions")
    .description("lists stored conversations, the newest first")
    .option("--all", "those of every directory, not only of this one")
    .option("--cwd <path>", "the directory whose conversations are listed (default: this one)")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExample:\n  $ palimpsest sessions\n  $ palimpsest -p --resume ID")
    .action(async (flags: { readonly all?: boolean; readonly cwd?: string; readonly json?: boolean }) => {
      const { listSessions } = await import("../../agent/session/list-sessions.js");
      const { dataDirectory } = await import("../../agent/session/session-folder.js");
      const { env } = terminal;
      const sessions = await listSessions({
        dataDirectory: dataDirectory({ home: env["HOME"] || homedir(), env }),
        ...(flags.all === true ? {} : { cwd: flags.cwd ?? process.cwd() }),
      });
      if (flags.json === true) terminal.stdout.write(`${JSON.stringify({ sessions }, null, 2)}\n`);
      else if (sessions.length === 0) terminal.stdout.write("There are no conversations here yet.\n");
      for (const { id, title, updatedAt, messages, bytes } of flags.json === true ? [] : sessions) {
        const when = new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ");
        const size = `${formatNumber(messages)} messages, ${formatNumber(Math.ceil(bytes / 1024))} KB`;
        terminal.stdout.write(`${id}  ${when}  ${size}  ${printable(title)}\n`);
      }
      finish(0);
    });
}

import type { Command } from "commander";
import type { AdviceReport } from "../../inspector/advice/advise.js";
import { complain } from "../read-recordings.js";
import { createProgress, plural, printable, type Terminal } from "../terminal.js";

/** `finish` is told the exit code of the command that ran. */
export function addAdviseCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("advise")
    .description("says what to change on an agent so that it costs less, priced on its own requests")
    .argument(
      "[file...]",
      "recorded conversations of any agent that is known, or folders of them (default: those of this machine)",
    )
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  $ palimpsest advise",
        "  $ palimpsest advise ~/.claude/projects/my-project",
        "  $ palimpsest gateway --record recordings -- claude; palimpsest advise recordings/local",
        "",
        "At most three changes, the dearest first, each worth 1% of the cost or more: how long cache entries live, MCP servers",
        "that are never called, what changes before the messages and breaks the cache, and files that are read again. System",
        "prompt and tools are only in recordings that hold requests (gateway --record, palimpsest -p --record).",
      ].join("\n"),
    )
    .action(async (paths: readonly string[], options: { json?: boolean }) => {
      finish(await advise(paths, options.json === true, terminal));
    });
}

async function advise(paths: readonly string[], json: boolean, terminal: Terminal): Promise<number> {
  const { adviseOn } = await import("../../inspector/advice/advise.js");
  const files = await filesOf(paths, terminal);
  const progress = createProgress(terminal.stderr);
  const report = await adviseOn(files.found, {
    onProgress: ({ file, bytesRead, bytes }) => {
      const share = bytes === 0 ? "" : `, ${Math.floor((100 * bytesRead) / bytes)}%`;
      progress.show(`reading ${file + 1} of ${files.found.length}: ${files.found[file] ?? ""}${share}`);
    },
  });
  progress.clear();
  for (const { file, error } of report.failed) complain(terminal, file, error);
  if (json) {
    const { advice, note, dollars, conversations, failed } = report;
    terminal.stdout.write(`${JSON.stringify({ advice, note, dollars, conversations, failed }, null, 2)}\n`);
  } else terminal.stdout.write(adviceText(report, paths.length > 0));
  return report.failed.length + files.failed > 0 && paths.length > 0 ? 1 : 0;
}

/** What is named, or what lies on this machine: of that, what is not a conversation is nobody's mistake. */
async function filesOf(
  paths: readonly string[],
  terminal: Terminal,
): Promise<{ readonly found: readonly string[]; readonly failed: number }> {
  if (paths.length === 0) {
    const { conversationPlaces } = await import("../../inspector/live/conversation-places.js");
    const { findConversations } = await import("../../inspector/live/find-conversations.js");
    const found = await findConversations(conversationPlaces(terminal.env));
    return { found: found.map(({ file }) => file), failed: 0 };
  }
  const { findRecordings } = await import("../../replay/find-recordings.js");
  const { files, failed, same } = await findRecordings(paths);
  for (const { file, as } of same) complain(terminal, file, `holds the same as ${as}, which is read once`);
  for (const { file, error } of failed) complain(terminal, file, error);
  return { found: files, failed: failed.length };
}

function adviceText({ advice, note, dollars, conversations }: AdviceReport, isNamed: boolean): string {
  if (conversations === 0) {
    return isNamed
      ? ""
      : "There is no conversation of a known agent on this machine. Name recordings: palimpsest advise FILE…\n";
  }
  const head = `${plural(conversations, "conversation")}, ${formatDollars(dollars)} in all\n`;
  const lines = advice.map(
    ({ what, why, dollars: saved, share }, at) =>
      `\n${at + 1}. ${printable(what)}\n   ${formatDollars(saved)} less, ${(100 * share).toFixed(share < 0.1 ? 1 : 0)}% of the cost. ${printable(why)}\n`,
  );
  return `${head}${lines.join("")}${note === null ? "" : `\n${printable(note)}\n`}`;
}

/** Cents, and more of them where there is less. */
const formatDollars = (dollars: number): string =>
  `$${dollars.toFixed(dollars !== 0 && dollars < 0.1 ? 4 : 2)}`;

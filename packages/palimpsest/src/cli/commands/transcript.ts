import type { Command } from "commander";
import type { Terminal } from "../terminal.js";

/** `finish` is told the exit code of the command that ran. */
export function addTranscriptCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  const transcript = program
    .command("transcript")
    .description("works on recorded conversations")
    .addHelpText("after", "\nExample:\n  $ palimpsest transcript check session.jsonl");
  transcript
    .command("check")
    .description("reads transcripts of any known format and proves that they normalise to a valid request")
    .argument(
      "<file...>",
      "transcripts of Claude Code, Codex, pi, Gemini CLI, OpenCode or SWE-agent, this program's own, lists of messages, or folders of them",
    )
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nExample:\n  $ palimpsest transcript check ~/.claude/projects/*/*.jsonl\n\n" +
        "Exits with 1 if a file is not a transcript, has damaged lines, or is not valid.",
    )
    .action(async (files: string[], options: { json?: boolean }) => {
      const { checkTranscripts } = await import("./transcript-check.js");
      finish(await checkTranscripts({ files, json: options.json === true }, terminal));
    });
}

import type { Command } from "commander";
import type { AnalyzedFile } from "../../replay/analysis-total.js";
import type { RecordingAnalysis } from "../../replay/analyze-recording.js";
import { complain, recordingsIn } from "../read-recordings.js";
import type { Terminal } from "../terminal.js";

/** `finish` is told the exit code of the command that ran. */
export function addAnalyzeCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("analyze")
    .description("says where the context of recorded conversations went, and what it cost")
    .argument(
      "<file...>",
      "transcripts of Claude Code, Codex, pi, Gemini CLI, OpenCode or SWE-agent, this program's own, lists of messages, or folders of them",
    )
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nExample:\n  $ palimpsest analyze session.jsonl ~/.claude/projects/my-project\n\n" +
        "The parts of a context sum to what is in it at the end of the recording. What a recording cannot tell is said after them.",
    )
    .action(async (paths: readonly string[], options: { json?: boolean }) => {
      finish(await analyzeFiles(paths, options.json === true, terminal));
    });
}

type FileReport =
  | ({ readonly file: string; readonly format: string } & RecordingAnalysis)
  | {
      readonly file: string;
      readonly format: null;
      readonly error: { readonly code: string; readonly message: string };
    };

async function analyzeFiles(paths: readonly string[], json: boolean, terminal: Terminal): Promise<number> {
  const { analyzeRecording } = await import("../../replay/analyze-recording.js");
  const { analysisTotal } = await import("../../replay/analysis-total.js");
  const { recordedCalls } = await import("../../replay/recorded-calls.js");
  const { describeAnalysis, describeAnalysisTotal } = await import("../describe-analysis.js");
  const reports: FileReport[] = [];
  const analyzed: AnalyzedFile[] = [];
  for await (const read of recordingsIn(paths, terminal)) {
    const { file } = read;
    if ("error" in read) {
      const { code, message } = read.error;
      complain(terminal, file, message);
      reports.push({ file, format: null, error: { code, message } });
      continue;
    }
    const { format, messages } = read.recording;
    const analysis = analyzeRecording(read.recording);
    reports.push({ file, format, ...analysis });
    analyzed.push({ file, analysis, calls: recordedCalls(messages) });
    if (!json) terminal.stdout.write(`${describeAnalysis({ file, format }, analysis)}\n`);
  }
  const failed = reports.length - analyzed.length;
  const total = analysisTotal(analyzed, failed);
  // One file has its fields at the top too.
  const only = reports.length === 1 ? reports[0] : undefined;
  if (json) terminal.stdout.write(`${JSON.stringify({ ...only, files: reports, total }, null, 2)}\n`);
  else if (analyzed.length > 1) terminal.stdout.write(describeAnalysisTotal(total));
  return failed > 0 ? 1 : 0;
}

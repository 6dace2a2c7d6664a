import { findModel } from "@palimpsest/core";
import type { Command } from "commander";
import type { EstimatedGrowth, EstimateReport } from "../../replay/estimate-recording.js";
import { complain, recordingsIn } from "../read-recordings.js";
import { plural, printable, type Terminal } from "../terminal.js";

/** `finish` is told the exit code of the command that ran. */
export function addEstimateCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("estimate")
    .description("measures token estimators against the usage that recordings hold")
    .argument(
      "<file...>",
      "transcripts of Claude Code, Codex, pi, Gemini CLI, OpenCode or SWE-agent, this program's own, lists of messages, or folders of them",
    )
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nExample:\n  $ palimpsest estimate ~/.claude/projects/*/*.jsonl\n\n" +
        "Looks at growths of more than 500 tokens between two responses of a tool loop with nothing but results\n" +
        "between. Errors are shares of the growth (median, 90th percentile), and of the whole context (99th).",
    )
    .action(async (files: string[], options: { json?: boolean }) => {
      finish(await estimateFiles(files, options.json === true, terminal));
    });
}

interface FileEstimates extends EstimateReport {
  readonly file: string;
  readonly format: string | null;
  readonly models: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

async function estimateFiles(files: readonly string[], json: boolean, terminal: Terminal): Promise<number> {
  const { estimateRecording, reportEstimates } = await import("../../replay/estimate-recording.js");
  const reports: FileEstimates[] = [];
  const all: EstimatedGrowth[] = [];
  for await (const read of recordingsIn(files, terminal)) {
    if ("error" in read) {
      const { code, message } = read.error;
      complain(terminal, read.file, message);
      reports.push({
        file: read.file,
        format: null,
        models: [],
        ...reportEstimates([]),
        error: { code, message },
      });
      continue;
    }
    const growths = estimateRecording(read.recording);
    for (const growth of growths) all.push(growth);
    const models = [...new Set(growths.map((growth) => growth.model))];
    const report = { file: read.file, format: read.recording.format, models, ...reportEstimates(growths) };
    reports.push(report);
    if (!json) terminal.stdout.write(describe(printable(read.file), report, models.join(", ")));
  }
  const tokenizers = [...new Set(all.map(tokenizerOf))];
  const byTokenizer = Object.fromEntries(
    tokenizers.map((name) => [name, reportEstimates(all.filter((growth) => tokenizerOf(growth) === name))]),
  );
  const total = { ...reportEstimates(all), byTokenizer };
  if (json) terminal.stdout.write(`${JSON.stringify({ files: reports, total }, null, 2)}\n`);
  else {
    for (const [name, report] of Object.entries(byTokenizer)) {
      terminal.stdout.write(describe(`all, ${name} tokenizer`, report));
    }
  }
  return reports.some((report) => report.error !== undefined) ? 1 : 0;
}

const tokenizerOf = ({ model }: EstimatedGrowth): string => findModel(model)?.tokenizer ?? "other";

function describe(title: string, report: EstimateReport, note = ""): string {
  const head = `${title}\n  ${plural(report.increments, "growth")}${note === "" ? "" : ` (${printable(note)})`}\n`;
  if (report.increments === 0) return head;
  const percent = (share: number): string => `${(share * 100).toFixed(1)}%`.padStart(7);
  const lines = Object.entries(report.estimators).map(
    ([name, { median, p90, p99OfContext }]) =>
      `  ${name.padEnd(10)} median${percent(median)}  p90${percent(p90)}  p99 of the context${percent(p99OfContext)}\n`,
  );
  return head + lines.join("");
}

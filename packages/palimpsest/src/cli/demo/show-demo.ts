import { join } from "node:path";
import type { ScreenIo } from "../screen/surface/screen-io.js";
import { printableJson, type Terminal } from "../terminal.js";
import type { LineOptions } from "./demo-lines.js";
import { isAllKept, reportDocument, reportLines } from "./demo-report.js";
import { runDemo } from "./demo-run.js";
import type { DemoPart } from "./demo-parts.js";
import { createPaint, wrapped } from "./demo-text.js";
import { createPlainView, silentView, type DemoView } from "./demo-view.js";
import { makeDemoWorkspace } from "./demo-workspace.js";

export interface ShowDemoOptions {
  readonly terminal: Terminal;
  /** Of the terminal, where it is known. */
  readonly columns?: number | undefined;
  readonly without: ReadonlySet<DemoPart>;
  readonly isJson: boolean;
  /** Where somebody looks on and may type; absent for pipes and files. */
  readonly screen?: Pick<ScreenIo, "keys" | "stdout">;
  /** Its reason is a `DemoEnd`. */
  readonly signal: AbortSignal;
  /** They want it to end; `signal` is aborted then. */
  readonly onLeave: () => void;
}

/** Why it ended before its end: by a signal, because nobody reads on, or because nothing can be written. */
export type DemoEnd = "interrupted" | "unread" | "unwritable";

const ExitCode = { kept: 0, lost: 1, unread: 0, unwritable: 1, interrupted: 130 } as const;
const COLUMNS = 100;
const LEAST_COLUMNS = 40;

/** Runs the demo and shows it. Gives the exit code; the temporary folder is gone then, whatever happened. */
export async function showDemo(options: ShowDemoOptions): Promise<number> {
  const { terminal, without, isJson, signal } = options;
  const { stdout, env } = terminal;
  const isSeen = stdout.isTTY === true && env["TERM"] !== "dumb" && !isJson;
  const columns = Math.max(LEAST_COLUMNS, Math.min(120, options.columns ?? COLUMNS));
  const lines: LineOptions = { columns, paint: createPaint(isSeen && (env["NO_COLOR"] ?? "") === "") };
  const write = (text: readonly string[]): void =>
    void stdout.write(text.map((line) => `${line}\n`).join(""));
  const started = performance.now();
  const workspace = await makeDemoWorkspace();
  const screen = isSeen ? options.screen : undefined;
  const recordFolder = screen === undefined ? undefined : join(workspace.data, "recording");
  let view: DemoView = isJson ? silentView : createPlainView(stdout, lines);
  try {
    if (!isJson) write(introduction(lines, workspace.isRepository));
    if (screen !== undefined) {
      const { createDemoScreen } = await import("./demo-screen.js");
      const { onLeave } = options;
      view = await createDemoScreen({ io: { terminal, ...screen }, home: workspace.home, onLeave });
    }
    const outcome = await runDemo({
      workspace,
      without,
      path: env["PATH"] ?? "",
      signal,
      ...(recordFolder === undefined ? {} : { recordFolder }),
      onEvent: view.hear,
    });
    view.end();
    if (signal.aborted) return ExitCode[signal.reason as DemoEnd];
    const seconds = (performance.now() - started) / 1000;
    const facts = { seconds, without, isRepository: workspace.isRepository };
    if (isJson) stdout.write(`${printableJson(reportDocument(outcome, facts))}\n`);
    else write(reportLines(outcome, { ...lines, facts }));
    if (screen !== undefined && recordFolder !== undefined) {
      const { showRecording } = await import("./show-recording.js");
      const { keys } = screen;
      await showRecording({ recordFolder, dataDirectory: workspace.data, keys, write, signal });
    }
    return isAllKept(outcome) ? ExitCode.kept : ExitCode.lost;
  } finally {
    view.end();
    await workspace.remove();
    if (signal.reason === ("interrupted" satisfies DemoEnd)) {
      terminal.stderr.write("palimpsest: interrupted; the temporary folder is removed\n");
    }
  }
}

const introduction = ({ columns, paint }: LineOptions, isRepository: boolean): readonly string[] => [
  paint.bold("Palimpsest: an agent that never has to stop"),
  ...wrapped(
    `The real agent works on ${isRepository ? "a copy of these sources" : "a made-up project"}; the embedded model plays, which knows only what a request shows it. No key, no network, simulated time, real prices.`,
    columns - 2,
  ).map(paint.dim),
];

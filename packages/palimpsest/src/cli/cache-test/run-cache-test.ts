import { writeFile } from "node:fs/promises";
import type { JudgedCall } from "../../simulator/outcome.js";
import type { RequestRecord } from "../../simulator/http/request-log.js";
import { createBreakFinder } from "../../simulator/breaks/break-finder.js";
import { printable, printableJson, type Terminal } from "../terminal.js";
import type { Assertion } from "./assertions.js";
import { childEnvironment } from "./child-environment.js";
import { describeReport } from "./describe.js";
import { createFigureMeter } from "./figures.js";
import { exitCodeOf, judge } from "./report.js";
import { runChild } from "./run-child.js";

export interface CacheTest {
  readonly command: readonly string[];
  readonly assertions: readonly Assertion[];
  readonly json: boolean;
  /** Where the report is written. */
  readonly report?: string;
  readonly terminal: Terminal;
  /** Takes keys out of what is written to a file. */
  readonly hide: (text: string) => string;
  /** Starts the simulated API. */
  start(
    onRequest: (record: RequestRecord, judged?: JudgedCall) => void,
  ): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** Runs a program against the simulated API, judges what it sent, and gives the exit code. */
export async function runCacheTest(test: CacheTest): Promise<number> {
  const { command, assertions, json, terminal } = test;
  const meter = createFigureMeter();
  const finder = createBreakFinder();
  const server = await test.start((record, judged) => {
    const request = meter.count(record);
    if (request !== undefined && judged !== undefined) finder.see(judged, request);
  });
  const child = await runChild(command, {
    env: childEnvironment(terminal.env, server.url),
    toStderr: json,
  });
  await server.close();
  const report = judge({ command, child, assertions, meter, breaks: finder.breaks });
  if (json) terminal.stdout.write(`${printableJson(report)}\n`);
  terminal.stderr.write(describeReport(report));
  const exitCode = exitCodeOf(report);
  if (test.report === undefined) return exitCode;
  try {
    await writeFile(test.report, `${test.hide(JSON.stringify(report, null, 2))}\n`);
    return exitCode;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    terminal.stderr.write(`palimpsest: the report could not be written: ${printable(why)}\n`);
    return exitCode === 0 ? 1 : exitCode;
  }
}

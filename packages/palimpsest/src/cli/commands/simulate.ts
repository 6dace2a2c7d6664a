import { ownIdPrefix } from "../../simulator/own-id-prefix.js";
import { InvalidArgumentError, type Command } from "commander";
import { faultGrammar, parseFaults } from "../../simulator/http/parse-faults.js";
import type { FaultRule } from "../../simulator/http/faults.js";
import type { SimulatorAppOptions } from "../../simulator/http/app.js";
import type { SimulatorServer } from "../../simulator/http/node-server.js";
import type { RequestLog, RequestRecord, Totals } from "../../simulator/http/request-log.js";
import type { Player } from "../../simulator/player.js";
import { withoutKeys } from "../../agent/base/key-variables.js";
import { parseAssertions, type Assertion } from "../cache-test/assertions.js";
import { figureMeanings } from "../cache-test/figures.js";
import { formatNumber, plural, printable, type Terminal } from "../terminal.js";
import { readPort } from "../read-port.js";
import { stopAsked } from "../../simulator/http/stop-asked.js";

interface SimulateOptions {
  readonly port: number;
  readonly host: string;
  readonly player: string;
  readonly window?: number;
  readonly cacheEdits?: boolean;
  readonly faults?: readonly FaultRule[];
  readonly remoteControl?: boolean;
  readonly assert?: readonly Assertion[];
  readonly json?: boolean;
  readonly report?: string;
}

/** `finish` is told the exit code of the command that ran. */
export function addSimulateCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("simulate")
    .description(
      "runs a Messages API on this machine: prompt cache, limits and errors, without a key or a bill",
    )
    .argument("[command...]", "after --: a program whose calls are to come here; it ends with it")
    .option("--assert <list>", "what must hold of the calls of that program (see below)", readAssertions)
    .option("--json", "print a report on stdout; what the program prints goes to stderr")
    .option("--report <file>", "write the report to a file")
    .option("--port <number>", "the port to listen on; 0 for any free one", readPort, 0)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--player <player>", "who answers (see below)", "echo")
    .option("--window <tokens>", "the context window of every model", readWindow)
    .option("--cache-edits", "accept the private cache_edits and cache_reference")
    .option("--faults <list>", "what goes wrong, and when", readFaultList)
    .option("--remote-control", "answer under any host name, not only under this machine's; /__sim/ too")
    .addHelpText(
      "after",
      "\nExample:\n  $ palimpsest simulate --port 8080 --faults 429@3:2s,cut@5:4\n" +
        "  $ ANTHROPIC_BASE_URL=http://127.0.0.1:8080 ANTHROPIC_API_KEY=any your-agent\n" +
        "  $ curl http://127.0.0.1:8080/__sim/stats\n\n" +
        "Players: echo, load[:SIZE[:TURNS[:CALLS]]], script:FILE, recording:FILE; each with +summaries=MODE.\n" +
        "  A recording's tool calls are made as they were recorded: let the client run in a sandbox.\n\n" +
        `Faults:\n  ${faultGrammar}\n\n` +
        'Control: GET /__sim/requests?since=N, GET /__sim/stats, GET and POST /__sim/clock {"advanceMs": N},\n' +
        'GET and POST /__sim/faults {"faults": "…"}, POST /__sim/reset\n\n' +
        "Runs until SIGINT or SIGTERM; with a program until that ends, with its exit code, or 1 where an assertion does\n" +
        "not hold:\n  $ palimpsest simulate --assert 'cacheHit>=0.9,breaks=0,refused=0' -- npm test\n\n" +
        `Assertions: NAME and one of >= <= = < > and a number, with commas between.\n${figureTable}\n`,
    )
    .action(async (words: readonly string[], options: SimulateOptions, command: Command) => {
      checkUsage(words, options, command);
      const player = await readPlayer(options.player, command);
      const isDebug = command.optsWithGlobals<{ debug?: boolean }>().debug === true;
      const simulated = { ...options, player, isDebug };
      finish(
        words.length === 0
          ? await simulate(simulated, terminal)
          : await testProgram(words, simulated, terminal),
      );
    });
}

const figureTable = Object.entries(figureMeanings)
  .map(([name, meaning]) => `  ${name.padEnd(14)} ${meaning}`)
  .join("\n");

function readAssertions(text: string): readonly Assertion[] {
  const parsed = parseAssertions(text);
  if (parsed.kind === "problem") throw new InvalidArgumentError(`${printable(parsed.problem)}.`);
  return parsed.assertions;
}

function checkUsage(words: readonly string[], options: SimulateOptions, command: Command): void {
  const rawArguments = (command.parent as unknown as { readonly rawArgs?: readonly string[] }).rawArgs ?? [];
  if (words.length > 0 && !rawArguments.includes("--")) {
    command.error(`too many arguments; a program to run is written after --, like -- ${words[0] ?? ""}`);
  }
  const needing = (["assert", "json", "report"] as const).find((name) => options[name] !== undefined);
  if (words.length === 0 && needing !== undefined) {
    command.error(`--${needing} is about a program that is run: write it after --, like -- npm test`);
  }
}

function readWindow(text: string): number {
  const window = Number(text);
  if (!/^\d{1,9}$/.test(text) || window === 0) throw new InvalidArgumentError("It is a number of tokens.");
  return window;
}

function readFaultList(text: string): readonly FaultRule[] {
  const parsed = parseFaults(text);
  if (parsed.kind === "problem") throw new InvalidArgumentError(`${printable(parsed.problem)}.`);
  return parsed.rules;
}

/** A player that does not exist is wrong usage; a file that cannot be played is a failure. */
async function readPlayer(specification: string, command: Command): Promise<Player> {
  const [{ parsePlayer }, { PlayerError }, { readFileSync }] = await Promise.all([
    import("../../simulator/players/parse-player.js"),
    import("../../simulator/player-error.js"),
    import("node:fs"),
  ]);
  const readFile = (path: string): string => readFileSync(path, "utf8");
  const recordings = new Map<string, Player>();
  const wanted: string[] = [];
  const parse = (): Player =>
    parsePlayer(specification, {
      readFile,
      openRecording(path) {
        wanted.push(path);
        return recordings.get(path) ?? { answer: (_, memory) => ({ answer: { content: [] }, memory }) };
      },
    });
  try {
    const player = parse();
    const [path] = wanted;
    if (path === undefined) return player;
    // Recordings are read without blocking, players are parsed in one go: the second time it is at hand.
    recordings.set(path, await openRecording(path));
    return parse();
  } catch (error) {
    if (!(error instanceof PlayerError) || error.cause !== undefined) throw error;
    return command.error(`option '--player <player>' argument is invalid. ${printable(error.message)}`);
  }
}

async function openRecording(path: string): Promise<Player> {
  const [{ readRecording, RecordingError }, { createRecordingPlayer }, { conversationWindows }] =
    await Promise.all([
      import("../../replay/readers/read-recording.js"),
      import("../../simulator/players/recording-player.js"),
      import("@palimpsest/core/engine"),
    ]);
  try {
    // Every window in turn: what a compaction replaced was said too. The player drops what comes twice.
    return createRecordingPlayer(conversationWindows((await readRecording(path)).messages).flat());
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    throw new Error(`${path} ${error.message}`, { cause: error });
  }
}

interface SimulateArguments extends Omit<SimulateOptions, "player"> {
  readonly player: Player;
  readonly isDebug: boolean;
}

/** Serves until the process is told to stop. */
async function simulate(options: SimulateArguments, terminal: Terminal): Promise<number> {
  const { stderr, stdout } = terminal;
  const { running, log } = await start(
    options,
    terminal,
    stderr.isTTY === true ? (record) => void stderr.write(`${describeRequest(record)}\n`) : undefined,
  );
  stdout.write(`listening on ${running.url}\n`);
  await stopAsked();
  await running.close();
  stderr.write(`palimpsest: ${describeTotals(log.totals())}\n`);
  return 0;
}

/** Serves until a program has ended, and judges what it sent. */
async function testProgram(
  command: readonly string[],
  options: SimulateArguments,
  terminal: Terminal,
): Promise<number> {
  const { runCacheTest } = await import("../cache-test/run-cache-test.js");
  return runCacheTest({
    command,
    assertions: options.assert ?? [],
    json: options.json === true,
    ...(options.report === undefined ? {} : { report: options.report }),
    terminal,
    hide: withoutKeys(terminal.env),
    start: async (onRequest) => (await start(options, terminal, onRequest)).running,
  });
}

async function start(
  options: SimulateArguments,
  { stderr }: Terminal,
  onRequest: SimulatorAppOptions["onRequest"],
): Promise<{ readonly running: SimulatorServer; readonly log: RequestLog }> {
  const { player, window, port, host, isDebug } = options;
  const [{ createSimulator }, { createSimulatorApp }, { createFaultPlan }, { createRequestLog }, server] =
    await Promise.all([
      import("../../simulator/core/create-simulator.js"),
      import("../../simulator/http/app.js"),
      import("../../simulator/http/faults.js"),
      import("../../simulator/http/request-log.js"),
      import("../../simulator/http/node-server.js"),
    ]);
  const log = createRequestLog();
  const app = createSimulatorApp({
    simulator: createSimulator({
      player,
      startTime: Date.now(),
      // A conversation may go on with the next one that is started.
      idPrefix: ownIdPrefix(),
      cacheEdits: options.cacheEdits === true,
      ...(window === undefined ? {} : { window }),
    }),
    log,
    faults: createFaultPlan(options.faults ?? []),
    remoteControl: options.remoteControl === true,
    ...(window === undefined ? {} : { window }),
    ...(onRequest === undefined ? {} : { onRequest }),
    ...(isDebug
      ? {
          onError: (error: unknown) =>
            void stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
        }
      : {}),
  });
  const running = await server.startSimulatorServer({
    app,
    port,
    host,
    ...(options.remoteControl === true ? { anyHost: true } : {}),
  });
  return { running, log };
}

function describeRequest({ method, path, status, model, error, verdict }: RequestRecord): string {
  const what = `${status} ${method} ${path}${model === null ? "" : ` ${model}`}`;
  if (error !== null) return printable(`${what}: ${error.message}`);
  if (verdict === null) return printable(what);
  const written = verdict.cacheWrite5m + verdict.cacheWrite1h;
  return printable(
    `${what}: ${formatNumber(verdict.input)} input, ${formatNumber(verdict.cacheRead)} read, ` +
      `${formatNumber(written)} written, ${formatNumber(verdict.output)} output, $${verdict.cost.toFixed(4)}`,
  );
}

const describeTotals = (totals: Totals): string =>
  `${plural(totals.requests, "request")}, ${formatNumber(totals.rejected)} rejected, ` +
  `${formatNumber(totals.input)} input, ${formatNumber(totals.cacheRead)} read, ` +
  `${formatNumber(totals.cacheWrite5m + totals.cacheWrite1h)} written, ${formatNumber(totals.output)} output, ` +
  `$${totals.cost.toFixed(4)}`;

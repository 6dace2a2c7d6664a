import { ownIdPrefix } from "../../simulator/own-id-prefix.js";
import { InvalidArgumentError, type Command } from "commander";
import { faultGrammar, parseFaults } from "../../simulator/http/parse-faults.js";
import type { FaultRule } from "../../simulator/http/faults.js";
import type { RequestRecord, Totals } from "../../simulator/http/request-log.js";
import type { Player } from "../../simulator/player.js";
import { formatNumber, plural, printable, type Terminal } from "../terminal.js";

interface SimulateOptions {
  readonly port: number;
  readonly host: string;
  readonly player: string;
  readonly window?: number;
  readonly cacheEdits?: boolean;
  readonly faults?: readonly FaultRule[];
  readonly remoteControl?: boolean;
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
        "Runs until SIGINT or SIGTERM.",
    )
    .action(async (options: SimulateOptions, command: Command) => {
      const player = await readPlayer(options.player, command);
      const isDebug = command.optsWithGlobals<{ debug?: boolean }>().debug === true;
      await simulate({ ...options, player, isDebug }, terminal);
      finish(0);
    });
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError("It is a number from 0 to 65535.");
  return port;
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
    import("../../simulator/players/player-error.js"),
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
    return command.error(
      `error: option '--player <player>' argument is invalid. ${printable(error.message)}`,
    );
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
async function simulate(options: SimulateArguments, terminal: Terminal): Promise<void> {
  const { player, window, port, host, isDebug } = options;
  const [{ createSimulator }, { createSimulatorApp }, { createFaultPlan }, { createRequestLog }, server] =
    await Promise.all([
      import("../../simulator/core/create-simulator.js"),
      import("../../simulator/http/app.js"),
      import("../../simulator/http/faults.js"),
      import("../../simulator/http/request-log.js"),
      import("../../simulator/http/node-server.js"),
    ]);
  const { stderr, stdout } = terminal;
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
    ...(stderr.isTTY === true
      ? { onRequest: (record: RequestRecord) => void stderr.write(`${describeRequest(record)}\n`) }
      : {}),
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
  stdout.write(`listening on ${running.url}\n`);
  await stopAsked();
  await running.close();
  stderr.write(`palimpsest: ${describeTotals(log.totals())}\n`);
}

const stopAsked = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = (): void => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });

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

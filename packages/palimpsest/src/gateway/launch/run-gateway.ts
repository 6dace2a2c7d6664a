import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { replaceFile } from "../../stores/replace-file.js";
import type { Telemetry } from "../../telemetry/index.js";
import type { Mode } from "../http/mode.js";
import { receiptDocument, type ReceiptDocument } from "../receipt/receipt-json.js";
import { emptyReceipt } from "../receipt/receipt.js";
import { arrangementFor, knownAgents, type Arrangement, type Environment } from "./known-agents.js";
import { WHAT_IF_MS } from "./proxy-messages.js";
import { noteRecordFolder } from "./record-folders.js";
import { newToken, removeLock, writeLock } from "./lock-file.js";
import { runCommand } from "./run-command.js";
import { tellExchanges } from "./tell-exchanges.js";
import { startSupervisor, type Supervisor } from "./supervisor.js";
import { stopAsked } from "../../simulator/http/stop-asked.js";

export interface GatewayRun {
  readonly upstream: string;
  readonly upstreamOpenai: string;
  readonly host: string;
  readonly port: number;
  readonly mode: Mode;
  /** What a path has to begin with; none where any program of this machine may come. */
  readonly tokens: readonly string[];
  /** A command and its arguments; none: it serves until it is stopped. */
  readonly command: readonly string[];
  readonly receiptFile?: string;
  /** Where conversations are recorded, contents and all. */
  readonly recordFolder?: string;
  /** The recording is gone when this ends. */
  readonly isRecordingBrief?: boolean;
  /** Where lock files are. */
  readonly lockFolder: string;
  readonly env: Environment;
  /** Told the address, where no command is started. */
  readonly onListening: (url: string) => void;
  /** Spans and metrics of what goes through. */
  readonly telemetry?: Telemetry;
  /** A sentence for people. */
  readonly say: (sentence: string) => void;
  /** Told when it takes a while to find out what other policies would have cost, and when that is over. */
  readonly onWaiting: (isWaiting: boolean) => void;
  readonly showReceipt: (receipt: ReceiptDocument) => void;
}

/** The address of the vendor of each protocol. */
export const VENDORS = { anthropic: "https://api.anthropic.com", openai: "https://api.openai.com" } as const;

/** Runs a gateway to its end and gives the exit code: that of the command, where there is one. Throws a sentence. */
export async function runGateway(run: GatewayRun): Promise<number> {
  const { upstream, upstreamOpenai, host, port, mode, tokens, receiptFile, recordFolder } = run;
  const controlToken = newToken();
  const supervisor = await startSupervisor(
    {
      upstream,
      upstreamOpenai,
      host,
      port,
      mode,
      tokens,
      controlToken,
      receipt: emptyReceipt(Date.now()),
      ...(receiptFile === undefined ? {} : { receiptFile }),
      ...(recordFolder === undefined ? {} : { recordFolder }),
    },
    run.say,
    tellExchanges(run.telemetry),
  );
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${supervisor.port}`;
  let lock: string | undefined;
  let hasBegun = run.command.length === 0;
  try {
    const isBrief = run.isRecordingBrief === true;
    if (recordFolder !== undefined) {
      const until = isBrief ? " until the gateway ends" : "";
      run.say(`what is said is recorded in ${recordFolder}${until}, contents and all`);
    }
    const recorded = recordFolder === undefined ? {} : { recordFolder };
    lock = await writeLock(run.lockFolder, supervisor.port, {
      pid: process.pid,
      url,
      token: controlToken,
      ...recorded,
    });
    if (recordFolder !== undefined && !isBrief) await noteRecordFolder(run.lockFolder, recordFolder);
    if (run.command.length > 0) {
      return await serveCommand(run, url, (pid) => {
        hasBegun = true;
        supervisor.serve(pid);
      });
    }
    run.onListening(url);
    await stopAsked();
    return 0;
  } finally {
    await supervisor.drain();
    const withoutWhatIf = receiptDocument(supervisor.receipt(), supervisor.mode());
    let unwritten: string | undefined;
    const save = async (document: ReceiptDocument): Promise<void> => {
      if (receiptFile === undefined) return;
      try {
        await replaceFile(receiptFile, `${JSON.stringify(document, null, 2)}\n`);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        unwritten = `the receipt could not be written to ${receiptFile} (${code ?? message})`;
      }
    };
    // Whoever does not wait has it all the same.
    await save(withoutWhatIf);
    const document = await withWhatIf(run, supervisor, withoutWhatIf);
    await supervisor.stop();
    if (lock !== undefined) await removeLock(lock);
    // Of a command that could not be started there is nothing more to say than that.
    if (hasBegun) run.showReceipt(document);
    if (hasBegun && run.command.length > 0 && document.requests === 0) {
      run.say(
        "nothing came through: if the command has asked a model, its own settings name another address " +
          `(${knownAgents.join(", ")} are led here by the command's name, others by ANTHROPIC_BASE_URL and OPENAI_BASE_URL)`,
      );
    }
    if (document !== withoutWhatIf) await save(document);
    if (unwritten !== undefined) run.say(unwritten);
  }
}

/** The receipt with what other policies would have cost, unless somebody does not want to wait for it. */
async function withWhatIf(
  { command, onWaiting }: GatewayRun,
  supervisor: Supervisor,
  document: ReceiptDocument,
): Promise<ReceiptDocument> {
  if (document.conversations === 0) return document;
  const waiting = setTimeout(() => onWaiting(true), BEFORE_TOLD_MS);
  const stopped = stopAsked();
  const within = command.length > 0 ? WHAT_IF_MS.ofCommand : WHAT_IF_MS.ofServer;
  const whatIf = await Promise.race([supervisor.whatIf(within), stopped.then(() => undefined)]);
  clearTimeout(waiting);
  onWaiting(false);
  return receiptDocument(supervisor.receipt(), supervisor.mode(), whatIf);
}

/** Whoever waits longer is told what for. */
const BEFORE_TOLD_MS = 1000;

async function serveCommand(run: GatewayRun, url: string, onStart: (pid: number) => void): Promise<number> {
  const [command = "", ...args] = run.command;
  const base = run.tokens[0] === undefined ? url : `${url}/${run.tokens[0]}`;
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-gateway-"));
  try {
    const arrangement: Arrangement = arrangementFor(
      { command, args },
      {
        addresses: { anthropic: `${base}/anthropic`, openai: `${base}/openai/v1` },
        env: run.env,
        isVendor: new URL(run.upstream).origin === VENDORS.anthropic,
        fileAt: (name) => join(folder, name),
      },
    );
    const { file, differs } = arrangement;
    if (file !== undefined) await writeFile(join(folder, file.name), file.text, { mode: 0o600 });
    if (differs.length > 0)
      run.say(`${basename(command)} does otherwise through a gateway: ${differs.join("; ")}`);
    return await runCommand(command, arrangement.args, {
      env: { ...run.env, ...arrangement.env },
      onStart,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Mode } from "../http/mode.js";
import type { ExchangeRecord } from "../receipt/exchange-record.js";
import { addExchange, addLost, addUnwatched, type Receipt } from "../receipt/receipt.js";
import type { DatedWhatIf } from "../receipt/receipt-json.js";
import type { FromProxy, ProxySettings, ToProxy } from "./proxy-messages.js";

/** A proxy in a process of its own that is started again whenever it dies. */
export interface Supervisor {
  readonly port: number;
  readonly receipt: () => Receipt;
  readonly mode: () => Mode;
  /** Of the process that serves now. */
  readonly pid: () => number | undefined;
  /** The command that it serves, told to every process. */
  serve(pid: number): void;
  /** Resolves once all that is over is in the receipt. */
  drain(): Promise<void>;
  /** What other policies would have cost, as far as that is found out within this time; undefined where nobody knows. */
  whatIf(milliseconds: number): Promise<DatedWhatIf | undefined>;
  stop(): Promise<void>;
}

/** So often in a row without ever listening: it cannot be helped. */
const MOST_FAILURES = 20;
const PAUSE_AFTER_FAILURE_MS = 100;
/** For what is over to be read. */
const DRAIN_MS = 10_000;

/** Starts a proxy and keeps it there. Rejects with a sentence where the first one cannot listen. */
export async function startSupervisor(
  settings: ProxySettings,
  onTrouble: (sentence: string) => void,
  onRecord: (record: ExchangeRecord) => void = () => {},
): Promise<Supervisor> {
  let { receipt, mode, port } = settings;
  let child: ChildProcess | undefined;
  let served: number | undefined;
  let isStopped = false;
  let failures = 0;
  const waiting = new Set<() => void>();
  let whatIf: DatedWhatIf | undefined;

  const send = (message: ToProxy): void => {
    if (child?.connected === true) child.send(message, () => {});
  };
  const wake = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  const run = (onListening: (port: number) => void, onFailed: (message: string) => void): void => {
    // Away from the terminal: what is typed there is for the command alone.
    const started = fork(fileURLToPath(new URL("./proxy-process.js", import.meta.url)), [], {
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: [],
    });
    child = started;
    let underWay = 0;
    started.on("error", (error) => onFailed(error.message));
    started.on("message", (message: FromProxy) => {
      switch (message.kind) {
        case "loaded":
          send({ kind: "start", settings: { ...settings, port, mode, receipt } });
          if (served !== undefined) send({ kind: "serving", pid: served });
          return;
        case "listening":
          failures = 0;
          onListening(message.port);
          return;
        case "failed":
          onFailed(message.message);
          started.kill("SIGKILL");
          return;
        case "began":
          underWay += 1;
          return;
        case "record":
          underWay -= 1;
          receipt = addExchange(receipt, message.record);
          onRecord(message.record);
          return;
        case "passed":
          receipt = addUnwatched(receipt);
          return;
        case "mode":
          ({ mode } = message);
          return;
        case "what-if":
          ({ whatIf } = message);
          wake();
          return;
        case "drained":
          wake();
      }
    });
    started.once("exit", () => {
      wake();
      receipt = addLost(receipt, underWay);
      if (isStopped || child !== started) return;
      again();
    });
  };

  const again = (): void => {
    failures += 1;
    if (failures > MOST_FAILURES) {
      isStopped = true;
      onTrouble(`the proxy on port ${port} could not be started again; start the gateway anew`);
      return;
    }
    const start = (): void =>
      run(
        () => {},
        () => {},
      );
    // At once, unless that has just failed.
    if (failures === 1) start();
    else setTimeout(start, PAUSE_AFTER_FAILURE_MS);
  };

  /** Until the proxy has answered, or is gone, or has had its time. */
  const ask = async (message: ToProxy, milliseconds: number): Promise<void> => {
    if (child?.connected !== true || isStopped) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      waiting.add(resolve);
      timer = setTimeout(resolve, milliseconds);
      send(message);
    });
    clearTimeout(timer);
  };

  port = await new Promise<number>((resolve, reject) => {
    run(resolve, (message) => {
      isStopped = true;
      reject(new Error(message));
    });
  });

  return {
    port,
    receipt: () => receipt,
    mode: () => mode,
    pid: () => child?.pid,
    serve(pid) {
      served = pid;
      send({ kind: "serving", pid });
    },
    drain: () => ask({ kind: "drain" }, DRAIN_MS),
    async whatIf(milliseconds) {
      await ask({ kind: "what-if", milliseconds }, milliseconds + DRAIN_MS);
      return whatIf;
    },
    async stop() {
      isStopped = true;
      const last = child;
      if (last === undefined || last.exitCode !== null || last.signalCode !== null) return;
      const ended = new Promise<void>((resolve) => last.once("exit", () => resolve()));
      last.kill("SIGKILL");
      await ended;
    },
  };
}

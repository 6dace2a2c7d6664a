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
  /** Serves nobody any more. Resolves once all that had come is in the receipt. */
  drain(): Promise<void>;
  /** What other policies would have cost, as far as that is found out within this time; undefined where nobody knows. */
  whatIf(milliseconds: number): Promise<DatedWhatIf | undefined>;
  stop(): Promise<void>;
}

/** So often in a row without ever listening: it cannot be helped. */
const MOST_FAILURES = 20;
const PAUSE_AFTER_FAILURE_MS = 100;
/** For what has come to be read. */
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

  /** Who waits for the first one; undefined once it listens, or cannot. */
  let starting:
    | { readonly listening: (port: number) => void; readonly failed: (error: Error) => void }
    | undefined;
  const giveUp = (sentence: string): void => {
    isStopped = true;
    if (starting === undefined) onTrouble(sentence);
    else starting.failed(new Error(sentence));
    starting = undefined;
  };
  const failed = (sentence: string): void => {
    if (starting !== undefined) giveUp(sentence);
  };

  const run = (): void => {
    // Away from the terminal: what is typed there is for the command alone.
    const started = fork(fileURLToPath(new URL("./proxy-process.js", import.meta.url)), [], {
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: [],
    });
    child = started;
    let underWay = 0;
    started.on("error", (error) => {
      failed(error.message);
      // There was no process to begin with: no end of one is heard.
      if (started.pid === undefined) ended();
    });
    started.on("message", (message: FromProxy) => {
      switch (message.kind) {
        case "loaded":
          send({ kind: "start", settings: { ...settings, port, mode, receipt } });
          if (served !== undefined) send({ kind: "serving", pid: served });
          return;
        case "listening":
          failures = 0;
          starting?.listening(message.port);
          starting = undefined;
          return;
        case "failed":
          failed(message.message);
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
    const ended = (): void => {
      wake();
      receipt = addLost(receipt, underWay);
      if (isStopped || child !== started) return;
      again();
    };
    started.once("exit", () => {
      // What it had said before it died may still be on its way.
      if (started.connected) started.once("disconnect", ended);
      else ended();
    });
  };

  const again = (): void => {
    failures += 1;
    if (failures > MOST_FAILURES) {
      giveUp(`the proxy on port ${port} could not be started again; start the gateway anew`);
      return;
    }
    // At once, unless that has just failed.
    if (failures === 1) run();
    else setTimeout(() => isStopped || run(), PAUSE_AFTER_FAILURE_MS);
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

  port = await new Promise<number>((listening, reject) => {
    starting = { listening, failed: reject };
    run();
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

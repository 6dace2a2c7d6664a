import { replaceFile } from "../../stores/replace-file.js";
import { createWorkerReader } from "../watch/worker-reader.js";
import { WHAT_IF_MS, type FromProxy, type ToProxy } from "./proxy-messages.js";
import { startProxy, type Proxy } from "./start-proxy.js";

/** The process of a proxy: told what to do by its launcher, and without one only as long as the launcher's command runs. */
let running: Proxy | undefined;
let receiptFile: string | undefined;
let servedProcess: number | undefined;

const ORPHAN_CHECK_MS = 500;

const tell = (message: FromProxy): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};

// What a terminal sends is for the command.
for (const signal of ["SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"] as const) process.on(signal, () => {});
// No request, and no answer, ends this process.
process.on("uncaughtException", () => {});

process.on("message", (message: ToProxy) => {
  switch (message.kind) {
    case "start":
      void start(message);
      return;
    case "serving":
      servedProcess = message.pid;
      return;
    case "drain":
      // One that does not serve yet has nothing to say.
      void Promise.resolve(running?.drain()).then(() => tell({ kind: "drained" }));
      return;
    case "what-if":
      void Promise.resolve(running?.whatIf(message.milliseconds)).then((whatIf) => {
        tell({ kind: "what-if", whatIf });
      });
  }
});

process.once("disconnect", () => {
  if (servedProcess === undefined) process.exit(0);
  // The launcher was killed and its command was not: it goes on as if nothing had happened.
  const check = setInterval(() => {
    if (isAlive(servedProcess ?? 0)) return;
    clearInterval(check);
    void leave();
  }, ORPHAN_CHECK_MS);
});

async function start({ settings }: Extract<ToProxy, { readonly kind: "start" }>): Promise<void> {
  ({ receiptFile } = settings);
  try {
    running = await startProxy(settings, {
      reader: createWorkerReader({
        conversationsBefore: settings.receipt.conversations,
        lanesBefore: settings.receipt.lanes,
        ...(settings.recordFolder === undefined ? {} : { recordFolder: settings.recordFolder }),
      }),
      env: process.env,
      onBegin: () => tell({ kind: "began" }),
      onRecord: (record) => tell({ kind: "record", record }),
      onPass: () => tell({ kind: "passed" }),
      onMode: (mode) => tell({ kind: "mode", mode }),
    });
    tell({ kind: "listening", port: running.port });
  } catch (error) {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}

/** Nobody is left who could print the receipt: it is written, where that was asked for. */
async function leave(): Promise<void> {
  await running?.drain();
  if (running !== undefined && receiptFile !== undefined) {
    await running.whatIf(WHAT_IF_MS.ofCommand);
    await replaceFile(receiptFile, `${JSON.stringify(running.document(), null, 2)}\n`).catch(() => {});
  }
  process.exit(0);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

tell({ kind: "loaded" });

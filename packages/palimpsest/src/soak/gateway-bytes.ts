import { createWorkerReader } from "../gateway/watch/worker-reader.js";
import { ensure } from "./ensure.js";
import type { SoakContext, SoakRun } from "./soak-run.js";
import { createWireLab } from "./wire-lab.js";
import { startWireProxy } from "./wire-proxy.js";
import { makeWireScript } from "./wire-script.js";

const EXCHANGES = 2000;
const AT_A_TIME = 8;
const CHECK_EVERY = 40;
const USUAL_BYTES = 300_000;
/** One in so many is as large as the API takes. */
const LARGE_EVERY = 400;
const LARGE_BYTES = 32 * 1024 * 1024;

export const gatewayBytesRun: SoakRun = {
  name: "gateway-bytes",
  about: "whatever goes through the gateway, both sides see the bytes, headers and ends of the other",
  passes: 1,
  pass: passThrough,
};

async function passThrough({ random, step, isOver }: SoakContext): Promise<void> {
  const lab = await createWireLab();
  let records = 0;
  const proxy = await startWireProxy(lab, "observe", {
    reader: createWorkerReader(),
    onRecord: () => (records += 1),
  });
  try {
    let played = 0;
    let isDone = false;
    const playOnes = async (): Promise<void> => {
      while (!isDone && played < EXCHANGES) {
        const number = played++;
        const most = number % LARGE_EVERY === LARGE_EVERY - 1 ? LARGE_BYTES : USUAL_BYTES;
        const script = makeWireScript(random, `e${number}`, most);
        await lab.play(script, proxy.port);
        await step({ exchanges: 1, [script.fate.kind]: 1 });
        if (number % CHECK_EVERY === CHECK_EVERY - 1) isDone ||= isOver();
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, playOnes));
    await proxy.settled();
    ensure(records > 0 && records <= played, `${records} records of ${played} exchanges`);
  } finally {
    await proxy.close();
    await lab.close();
  }
}

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureSame } from "./ensure.js";
import type { SoakContext, SoakRun } from "./soak-run.js";
import { startWriter } from "./start-writer.js";
import { withFolder } from "./with-folder.js";

const RACES = 200;

export const storeLockRun: SoakRun = {
  name: "store-lock",
  about: "of two processes that race for the lock of a dead one, one wins",
  passes: 5,
  pass: (context) => withFolder("lock", (directory) => race(directory, context)),
};

async function race(directory: string, { seed, step, isOver }: SoakContext): Promise<void> {
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const racers = [0, 1].map(() => {
    const child = startWriter("take", directory);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      tell: (line: string) => child.stdin.write(`${line}\n`),
      hear: async (): Promise<string> => String((await lines.next()).value),
      end: async () => {
        child.stdin.end();
        if (child.exitCode === null) await once(child, "close");
      },
    };
  });
  const hearAll = (): Promise<readonly string[]> => Promise.all(racers.map(({ hear }) => hear()));
  try {
    ensureSame(await hearAll(), ["ready", "ready"], "two racers");
    for (let number = 0; number < RACES; number += 1) {
      const nonce = `00000000-0000-0000-0000-${String((seed + number) % 1e12).padStart(12, "0")}`;
      // Of a start of its own: on a busy machine another process has the number before long.
      const stale = {
        pid: dead,
        startTime: "long ago",
        host: hostname(),
        time: new Date().toISOString(),
        nonce,
      };
      await writeFile(join(directory, `race-${number}.lock`), JSON.stringify(stale));
      for (const { tell } of racers) tell(`race-${number}`);
      ensureSame((await hearAll()).toSorted(), ["locked", "won"], "who won");
      for (const { tell } of racers) tell("close");
      ensureSame(await hearAll(), ["closed", "closed"], "after the race");
      await step({ races: 1 });
      if (isOver()) break;
    }
  } finally {
    await Promise.all(racers.map(({ end }) => end()));
  }
  const left = (await readdir(directory)).filter((name) => name.includes(".lock"));
  ensureSame(left, [], "locks that nobody holds");
}

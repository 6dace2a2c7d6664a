import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { createRandom } from "../bench/random.js";
import type { SoakContext, SoakRun } from "./soak-run.js";
import type { SoakNews, SoakTask } from "./soak-task.js";

/** Milliseconds between two reports of progress. */
const EVERY = 100;

/** The program that a run has to itself: one task as its first message, news until it is done, `"stop"` to stop it. */
const stop = new AbortController();
const counts: Record<string, number> = {};
let [passes, seed] = [0, 0];

process.on("message", (message: SoakTask | "stop") => {
  if (message === "stop") stop.abort();
  else void perform(message);
});
// Nobody is left to tell.
process.once("disconnect", () => stop.abort());
// Signals of a terminal are for whoever started this.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("uncaughtException", (error) => void end(error));

/** Resolved once it is on its way: the process may end afterwards. */
const say = (news: SoakNews): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) return resolve();
    process.send(news, () => resolve());
  });

const tell = (): Promise<void> => say({ kind: "progress", passes, seed, counts });

async function perform(task: SoakTask): Promise<void> {
  try {
    const { soakRuns } = (await import(task.module)) as { readonly soakRuns: readonly SoakRun[] };
    const run = soakRuns.find(({ name }) => name === task.name);
    if (run === undefined) throw new Error(`there is no run named ${task.name}`);
    await performRounds(run, task);
    await tell();
    await say({ kind: "done", isWhole: passes >= run.passes });
    // A pass that was broken off may have left timers and sockets.
    process.exit(0);
  } catch (error) {
    await end(error);
  }
}

/** The end by something that was thrown: what a pass leaves undone once it is told to stop says nothing. */
async function end(thrown: unknown): Promise<void> {
  const { message, stack = "" } = thrown instanceof Error ? thrown : new Error(String(thrown));
  await tell();
  await say(stop.signal.aborted ? { kind: "done", isWhole: false } : { kind: "failed", message, stack });
  process.exit(0);
}

async function performRounds(run: SoakRun, { seed: first, milliseconds }: SoakTask): Promise<void> {
  const endsAt = milliseconds === undefined ? Infinity : performance.now() + milliseconds;
  let saidAt = -Infinity;
  const pass = { isCutShort: false };
  const isOver = (): boolean => stop.signal.aborted || performance.now() >= endsAt;
  const context: Omit<SoakContext, "seed" | "random"> = {
    signal: stop.signal,
    isOver() {
      pass.isCutShort ||= isOver();
      return pass.isCutShort;
    },
    async step(more) {
      for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + count;
      if (performance.now() - saidAt < EVERY) return;
      saidAt = performance.now();
      await tell();
      await turnOfTheLoop();
    },
  };
  const limit = milliseconds === undefined ? run.passes : Infinity;
  do {
    seed = (first + passes) >>> 0;
    await tell();
    await run.pass({ ...context, seed, random: createRandom(seed) });
    if (!pass.isCutShort) passes += 1;
  } while (!pass.isCutShort && passes < limit && !isOver());
}

import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;

/** Whether anybody is left in the group of processes that this one leads. */
function isAlive(leader: number): boolean {
  return signalGroup(leader, 0);
}

/** Whether the signal reached anybody. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Ends a process and all that it started and that stayed in its group: they are asked to, and killed when they have
 * not gone within the grace. Resolves when they are gone, or were killed.
 */
export async function endProcessGroup(leader: number, graceMs: number): Promise<void> {
  signalGroup(leader, "SIGTERM");
  const until = Date.now() + graceMs;
  while (isAlive(leader)) {
    if (Date.now() >= until) {
      signalGroup(leader, "SIGKILL");
      return;
    }
    await sleep(Math.min(POLL_MS, graceMs));
  }
}

import { execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Why no disk can be made full here; undefined where it can. */
export const noFullDisk = () =>
  spawnSync("prlimit", ["--version"], { stdio: "ignore" }).status === 0
    ? undefined
    : "the program prlimit (Debian's package util-linux) is not installed";

/**
 * No file of the process and of its children may grow beyond this from now on: what a full disk looks like from inside.
 * `undefined`: there is room again. `as`: whose processes they are.
 */
export async function limitFiles(pid, limitKb, as) {
  const limit = limitKb === undefined ? "unlimited" : String(limitKb * 1024);
  const set = (one) => run("prlimit", ["--pid", String(one), `--fsize=${limit}:`], as);
  // What is started from now on has it from its parent, so that comes first.
  await set(pid);
  // Children come and go.
  await Promise.all(childrenOf(pid).map((child) => set(child).catch(() => undefined)));
}

const childrenOf = (pid) =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

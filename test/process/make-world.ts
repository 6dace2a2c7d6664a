import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { World } from "../data/shell-verdicts/worlds.js";

/** Makes the files, links and repository of a world in a folder that is there and empty. */
export function makeWorld(world: World, work: string): void {
  const put = (files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      rmSync(join(work, path), { force: true });
      writeFileSync(join(work, path), text);
    }
  };
  put(world.files);
  for (const [path, target] of Object.entries(world.links ?? {})) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    symlinkSync(target, join(work, path));
  }
  for (const path of world.executables ?? []) chmodSync(join(work, path), 0o755);
  if (world.isRepository === true) {
    git(work, "init", "-q", "-b", "main");
    git(work, "add", "-A");
    git(work, "commit", "-q", "-m", "first");
  }
  put(world.after ?? {});
  for (const path of world.executables ?? []) chmodSync(join(work, path), 0o755);
  if (world.after?.[".git/hooks/post-index-change"] !== undefined) {
    chmodSync(join(work, ".git/hooks/post-index-change"), 0o755);
  }
  for (const path of world.submodules ?? []) {
    const commit = "0123456789012345678901234567890123456789";
    git(work, "update-index", "--add", "--cacheinfo", `160000,${commit},${path}`);
  }
}

function git(cwd: string, ...args: readonly string[]): void {
  const { PATH } = process.env;
  const env = { PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const person = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  execFileSync("git", [...person, ...args], { cwd, env, stdio: "ignore" });
}

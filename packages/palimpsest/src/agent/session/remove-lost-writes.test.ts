import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPathGuard } from "../base/path-guard.js";
import { removeLostWrites } from "./remove-lost-writes.js";

let base = "";
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-lost-"));
  await mkdir(join(base, "work/src"), { recursive: true });
  await mkdir(join(base, "outside"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const gone = spawnSync(process.execPath, ["-e", ""]).pid;
const call = (name: string, path: unknown) => ({
  type: "tool_use" as const,
  id: "toolu_1",
  name,
  input: { file_path: path },
});
const sweep = async (...calls: readonly ReturnType<typeof call>[]): Promise<void> =>
  removeLostWrites(
    calls,
    createPathGuard({ roots: [join(base, "work")], workingDirectory: join(base, "work") }),
  );

describe("what lost writes left behind", () => {
  it("goes where its process is gone, and nothing else does", async () => {
    const kept = [
      `.palimpsest-${process.pid}-abc.tmp`,
      ".palimpsest-0-abc.tmp",
      `.palimpsest-${gone}-abc.tmp.txt`,
      "a.txt",
    ];
    for (const name of [...kept, `.palimpsest-${gone}-abc.tmp`])
      await writeFile(join(base, "work/src", name), "");
    await sweep(call("Edit", "src/a.txt"));
    expect((await readdir(join(base, "work/src"))).toSorted()).toEqual(kept.toSorted());
  });

  it("stays where no such call was lost, and outside of the roots", async () => {
    const name = `.palimpsest-${gone}-abc.tmp`;
    await writeFile(join(base, "work/src", name), "");
    await writeFile(join(base, "outside", name), "");
    await symlink(join(base, "outside"), join(base, "work/link"));
    await sweep(
      call("Bash", "src/a.txt"),
      call("Write", 7),
      call("Write", "../outside/a.txt"),
      call("Write", "link/a.txt"),
      call("Write", "nowhere/a.txt"),
    );
    expect(await readdir(join(base, "work/src"))).toEqual([name]);
    expect(await readdir(join(base, "outside"))).toEqual([name]);
  });
});

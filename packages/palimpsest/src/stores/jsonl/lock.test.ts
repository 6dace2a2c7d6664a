import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFileSystem, type FileSystem } from "./file-system.js";
import { createJsonlStore } from "./store.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-lock-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const NONCES = ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"] as const;
const lockPath = (): string => join(directory, "c.lock");

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  if (child.pid === undefined) throw new Error("no child");
  return child.pid;
}

const holder = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({
    pid: process.pid,
    host: hostname(),
    time: "2026-01-01T00:00:00.000Z",
    nonce: NONCES[0],
    ...fields,
  });

/** Opens and closes; whatever was left behind must be gone afterwards. */
async function expectRecovery(): Promise<void> {
  const writer = await createJsonlStore({ directory }).open("c");
  const content = JSON.parse(await readFile(lockPath(), "utf8")) as { pid: number; host: string };
  expect(content).toMatchObject({ pid: process.pid, host: hostname() });
  await writer.close();
  expect(await readdir(directory)).toEqual(["c.jsonl"]);
}

describe("a lock", () => {
  it("of this process says who writes since when, and what to do", async () => {
    const writer = await createJsonlStore({ directory }).open("c");
    await expect(createJsonlStore({ directory }).open("c")).rejects.toThrow(
      new RegExp(
        `^Conversation c is being written by process ${process.pid} on ${hostname()} since \\d{4}-\\S+Z; close it there, or .*\\.$`,
      ),
    );
    await writer.close();
  });

  it("of another living process holds", async () => {
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
    await once(child, "spawn");
    await writeFile(lockPath(), holder({ pid: child.pid }));
    await expect(createJsonlStore({ directory }).open("c")).rejects.toMatchObject({ code: "locked" });
    child.kill("SIGKILL");
    await once(child, "exit");
    await expectRecovery();
  });

  it("of another host holds, and the error names the file to delete", async () => {
    await writeFile(lockPath(), holder({ pid: await deadPid(), host: "elsewhere" }));
    await expect(createJsonlStore({ directory }).open("c")).rejects.toThrow(
      new RegExp(`on elsewhere since .* delete ${lockPath()} if it is gone`),
    );
    expect(await readdir(directory)).toEqual(["c.lock"]);
  });

  it("of a process that is gone is recovered", async () => {
    await writeFile(lockPath(), holder({ pid: await deadPid() }));
    await expectRecovery();
  });

  it.skipIf(process.platform !== "linux")(
    "of a process whose pid another one has now is recovered (needs /proc)",
    async () => {
      await writeFile(lockPath(), holder({ startTime: "another-boot/12345" }));
      await expectRecovery();
    },
  );

  it.each([
    ["empty", ""],
    ["torn", '{"pid": 12'],
    ["with a nonce that is a path", holder({ nonce: "../../../etc/passwd" })],
    ["with a pid that is none", holder({ pid: -1 })],
  ])("file that cannot be used (%s) holds for some seconds, then it is recovered", async (_name, text) => {
    await writeFile(lockPath(), text);
    await expect(createJsonlStore({ directory }).open("c")).rejects.toMatchObject({ code: "locked" });
    const minuteAgo = Date.now() / 1000 - 60;
    await utimes(lockPath(), minuteAgo, minuteAgo);
    await expectRecovery();
  });

  it("is recovered by one of many who try", async () => {
    for (let round = 0; round < 20; round += 1) {
      await writeFile(lockPath(), holder({ pid: await deadPid() }));
      const attempts = await Promise.allSettled(
        Array.from({ length: 6 }, () => createJsonlStore({ directory }).open("c")),
      );
      const writers = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
      expect(writers).toHaveLength(1);
      await writers[0]?.close();
    }
    expect(await readdir(directory)).toEqual(["c.jsonl"]);
  });

  it("whose recoverers died one after another is recovered", async () => {
    const pid = await deadPid();
    await writeFile(lockPath(), holder({ pid }));
    await writeFile(join(directory, `c.lock.${NONCES[0]}`), holder({ pid, nonce: NONCES[1] }));
    await writeFile(
      join(directory, `c.lock.${NONCES[1]}`),
      holder({ pid, nonce: "00000000-0000-0000-0000-000000000003" }),
    );
    await expectRecovery();
  });

  it("whose recoverer lives is left to it", async () => {
    await writeFile(lockPath(), holder({ pid: await deadPid() }));
    await writeFile(join(directory, `c.lock.${NONCES[0]}`), holder({ nonce: NONCES[1] }));
    await expect(createJsonlStore({ directory }).open("c")).rejects.toThrow(/others are just recovering/);
    expect((await readdir(directory)).toSorted()).toEqual(["c.lock", `c.lock.${NONCES[0]}`]);
  });

  it("that a recoverer finds replaced under its claim is left alone", async () => {
    const living = holder({ nonce: NONCES[1] });
    await writeFile(lockPath(), holder({ pid: await deadPid() }));
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      link: async (existing, path) => {
        if (path.endsWith(NONCES[0])) await writeFile(lockPath(), living);
        await nodeFileSystem.link(existing, path);
      },
    };
    await expect(createJsonlStore({ directory, fileSystem }).open("c")).rejects.toMatchObject({
      code: "locked",
    });
    expect(await readFile(lockPath(), "utf8")).toBe(living);
  });

  it("is left alone on closing where it is another's by now", async () => {
    const writer = await createJsonlStore({ directory }).open("c");
    await writeFile(lockPath(), holder({}));
    await writer.close();
    expect(await readFile(lockPath(), "utf8")).toBe(holder({}));
  });

  it("works on file systems without hard links", async () => {
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      link: () => Promise.reject(Object.assign(new Error("EPERM: injected"), { code: "EPERM" })),
    };
    const store = createJsonlStore({ directory, fileSystem });
    const writer = await store.open("c");
    await expect(store.open("c")).rejects.toMatchObject({ code: "locked" });
    await writer.close();
    await (await store.open("c")).close();
    expect(await readdir(directory)).toEqual(["c.jsonl"]);
  });

  it("recovered leaves the claims of other conversations alone", async () => {
    await writeFile(lockPath(), holder({ pid: await deadPid() }));
    const other = `c.lock.x.lock.${NONCES[0]}`;
    await writeFile(join(directory, other), holder({}));
    const writer = await createJsonlStore({ directory }).open("c");
    await writer.close();
    expect((await readdir(directory)).toSorted()).toEqual(["c.jsonl", other]);
  });
});

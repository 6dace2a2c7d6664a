import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("store-writer.mjs", import.meta.url));

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-durability-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const canTrace = spawnSync("strace", ["-e", "trace=none", "true"]).status === 0;

describe("durability disk, as the system sees it", () => {
  it.skipIf(!canTrace)(
    "fdatasync returns before the acknowledgement (skipped where strace cannot run)",
    async () => {
      const log = join(directory, "trace.log");
      const traced = spawnSync(
        "strace",
        ["-f", "-y", "-e", "trace=fdatasync,write", "-o", log].concat([
          process.execPath,
          script,
          directory,
          "traced",
          "disk",
        ]),
        { encoding: "utf8", env: { ...process.env, UV_USE_IO_URING: "0" } },
      );
      expect(traced.stderr).toBe("");
      const acknowledgements = traced.stdout.split("\n").filter((line) => line.includes("-"));
      expect(acknowledgements).toHaveLength(5);
      expect(eventsIn(await readFile(log, "utf8"))).toEqual(
        Array.from({ length: 5 }, () => ["write", "fdatasync", "acknowledge"]).flat(),
      );
    },
  );
});

/** Writes to the transcript, syncs of it when they return, and uuids on stdout, in the trace's order. */
function eventsIn(trace: string): readonly string[] {
  const syncing = new Set<string>();
  return trace.split("\n").flatMap((line) => {
    const thread = line.split(" ")[0] ?? "";
    if (/ write\(\d+<[^>]*traced\.jsonl>/.test(line)) return ["write"];
    if (/ write\(1<.*"[0-9a-f]{8}-/.test(line)) return ["acknowledge"];
    if (/ fdatasync\(\d+<[^>]*traced\.jsonl>\)? <unfinished/.test(line)) {
      syncing.add(thread);
      return [];
    }
    if (/ fdatasync\(\d+<[^>]*traced\.jsonl>\) += 0/.test(line)) return ["fdatasync"];
    if (syncing.has(thread) && /fdatasync resumed.*= 0/.test(line)) {
      syncing.delete(thread);
      return ["fdatasync"];
    }
    return [];
  });
}

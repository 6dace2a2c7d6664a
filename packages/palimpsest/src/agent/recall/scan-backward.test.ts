import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queryTerms } from "./query-terms.js";
import { scanBackward } from "./scan-backward.js";
import { withTranscript } from "./transcript-file.js";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-scan-"));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** The candidates among the lines, the last first. */
async function scan(text: string, query: string): Promise<readonly string[]> {
  const path = join(directory, "scan.jsonl");
  await writeFile(path, text);
  const sought = queryTerms(query);
  if (sought === undefined) throw new Error("nothing sought");
  const found = await withTranscript(path, async (file) => {
    const lines: string[] = [];
    const { signal } = new AbortController();
    for await (const line of scanBackward(file, { sought, end: file.size, signal })) {
      const place = Buffer.from(text).subarray(line.start, line.end).toString();
      expect(line.bytes.toString()).toBe(place.replace(/\n$/, ""));
      lines.push(line.bytes.toString());
    }
    return lines;
  });
  return found ?? [];
}

describe("scanBackward", () => {
  it("finds a needle wherever it lies to the edges of the windows", async () => {
    for (let shift = 0; shift < 300; shift += 7) {
      const before = "x".repeat(64 * 1024 - 150 + shift);
      const line = `${"y".repeat(100)}needle${"z".repeat(60)}`;
      expect(await scan(`${line}\n${before}\n`, "needle")).toEqual([line]);
      expect(await scan(`first\n${line}${before}\nlast\n`, "NEEDLE")).toEqual([`${line}${before}`]);
    }
  });

  it("gathers words that lie in different windows of one line, and not those of two lines", async () => {
    const far = "-".repeat(700_000);
    expect(await scan(`alpha${far}omega\n`, "alpha omega")).toHaveLength(1);
    expect(await scan(`alpha${far}\n${far}omega\n`, "alpha omega")).toEqual([]);
    expect(await scan(`${far}\nomega${far}alpha\n${far}`, "alpha omega")).toHaveLength(1);
  });

  it("takes empty lines, a missing last line break and an empty file as they come", async () => {
    expect(await scan("", "a")).toEqual([]);
    expect(await scan("\n\n\n", "a")).toEqual([]);
    expect(await scan("a1\n\na2\n\nb\na3", "a")).toEqual(["a3", "a2", "a1"]);
  });

  it("gives lines that write letters in odd ways, to be looked at", async () => {
    const escaped = String.raw`{"text":"caf\u00e9 \u006eeedle"}`;
    const control = String.raw`{"text":"\u001b[0m \u0000 nothing"}`;
    const kelvin = '{"text":"300 \u212aelvin"}';
    expect(await scan(`${escaped}\n${control}\n${kelvin}\n`, "needle")).toEqual([escaped]);
    expect(await scan(`${escaped}\n${control}\n${kelvin}\n`, "kelvin")).toEqual([kelvin, escaped]);
  });
});

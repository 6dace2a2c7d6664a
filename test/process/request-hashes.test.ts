import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("../../bench/request-hashes.mjs", import.meta.url));
const WINDOW = "60000";

let directory = "";
const at = (...names: readonly string[]): string => join(directory, ...names);

async function hashes(args: readonly string[], cwd = directory, env: Readonly<Record<string, string>> = {}) {
  const { PATH = "" } = process.env;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], {
      cwd,
      env: { PATH, ...env },
      maxBuffer: 1 << 26,
    });
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout: stdout + stderr };
  }
}

interface Document {
  readonly files: readonly {
    readonly name: string;
    readonly sha256: string;
    readonly requests: number;
    readonly asides: number;
    readonly cost: number;
    readonly difference?: string | null;
  }[];
}

/** Thirty rounds that each bring about 2500 tokens; `last` is said in the 21st. */
function recording(last: string): string {
  const lines = Array.from({ length: 60 }, (_, index) => ({
    type: index % 2 === 0 ? "user" : "assistant",
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    sessionId: "s",
    cwd: "/home/user/project",
    timestamp: new Date(Date.UTC(2026, 10, 15, 10, index)).toISOString(),
    message:
      index % 2 === 0
        ? {
            role: "user",
            content: index === 40 ? last : `${index}: ${"and so on, word by word. ".repeat(400)}`,
          }
        : {
            role: "assistant",
            id: `m${index}`,
            model: "claude-opus-4-5",
            content: [{ type: "text", text: `done with ${index}` }],
            stop_reason: "end_turn",
          },
  }));
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-hashes-"));
  for (const folder of ["one", "other"]) await mkdir(at(folder));
  await writeFile(at("one", "talk.jsonl"), recording("as before"));
  await writeFile(at("other", "talk.jsonl"), recording("otherwise"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("hashes of requests", () => {
  it("are those of every process and folder, summaries included", async () => {
    const saved = await hashes(["one", "--window", WINDOW, "--save", at("saved.json"), "--json"]);
    const [talk] = (JSON.parse(saved.stdout) as Document).files;
    expect(talk?.asides).toBeGreaterThan(0);
    expect(talk?.requests).toBe(30 + (talk?.asides ?? 0));
    expect(talk?.cost).toBeGreaterThan(0);
    const args = [at("one", "talk.jsonl"), "--compare", at("saved.json"), "--json"];
    const again = await hashes(args, at("other"), { TZ: "Asia/Tokyo", PALIMPSEST_NOTES: "true" });
    expect(again.code).toBe(0);
    expect((JSON.parse(again.stdout) as Document).files).toEqual([{ ...talk, difference: null }]);
  });

  it("say which request is the first that differs, and in what", async () => {
    const { code, stdout } = await hashes(["other", "--compare", at("saved.json")]);
    expect(code).toBe(1);
    const [, number = ""] =
      /request (\d+) of \d+ \(of it\) differs: message \d+ \(user, \d+ char/.exec(stdout) ?? [];
    expect(stdout).toContain("0 equal, 1 different");
    const [was, is] = await Promise.all(
      ["one", "other"].map((folder) => hashes([folder, "--window", WINDOW, "--show", number])),
    );
    expect(was?.stdout).toContain("as before");
    expect(is?.stdout).toContain("otherwise");
    expect(is?.stdout.replaceAll("otherwise", "as before")).toBe(was?.stdout);
  });

  it("are not compared with those of another window, nor with none", async () => {
    expect(await hashes(["one", "--window", "90000", "--compare", at("saved.json")])).toMatchObject({
      code: 2,
    });
    expect(await hashes(["--compare", at("saved.json")])).toMatchObject({ code: 2 });
  });
});

import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "./run-here.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

let directory = "";
const at = (name: string): string => join(directory, name);

/** Runs the command in a folder of its own, where nothing of the repository is. */
async function bench(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { PATH = "" } = process.env;
  const options = { cwd: directory, env: { PATH, HOME: directory, TMPDIR: directory, ...env } };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, "bench", ...args], options);
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

const figuresIn = (json: string): ReadonlyMap<string, Figure> => {
  const { figures } = JSON.parse(json) as { readonly figures: readonly Figure[] };
  for (const { name, value, unit } of figures) {
    expect(name).toMatch(/^[a-z]/);
    expect(Number.isFinite(value)).toBe(true);
    expect(unit).not.toBe("");
  }
  return new Map(figures.map((figure) => [figure.name, figure]));
};

/** Forty rounds in the shape of Claude Code's, each of which reads a file and is counted. */
function recording(): string {
  const lines: object[] = [];
  const add = (type: string, message: object): void => {
    const number = lines.length;
    lines.push({
      type,
      uuid: `u${number}`,
      parentUuid: number === 0 ? null : `u${number - 1}`,
      sessionId: "s",
      timestamp: new Date(Date.UTC(2026, 10, 15, 10, number)).toISOString(),
      message,
    });
  };
  add("user", { role: "user", content: "Read all files and say what they hold." });
  for (let round = 0; round < 40; round += 1) {
    const id = `t${round}`;
    const input = { file_path: `src/file${Math.floor(round / 2)}.ts` };
    add("assistant", {
      id: `m${round}`,
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "tool_use", id, name: "Read", input }],
      stop_reason: "tool_use",
      usage: { input_tokens: 20_000 + round * 2000, output_tokens: 30 },
    });
    const content = `export const value${round} = ${round * 7919};\n`.repeat(150);
    add("user", { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-bench-test-"));
  await writeFile(at("session.jsonl"), recording());
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("palimpsest bench", () => {
  it("--help has an example", async () => {
    const { code, stdout, stderr } = await bench(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/\$ palimpsest bench /);
  });

  it("prints one line for each figure, and only those that were asked for", async () => {
    const { code, stdout, stderr } = await bench(["--only", "normalise.round.100.,normalise.round.1000."]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(
      stdout
        .replaceAll(/ +[\d.,]+ /g, " VALUE ")
        .trimEnd()
        .split("\n"),
    ).toEqual([
      "normalise.round.100.median VALUE µs",
      "normalise.round.100.p99 VALUE µs",
      "normalise.round.1000.median VALUE µs",
      "normalise.round.1000.p99 VALUE µs",
    ]);
  });

  it("plays a recording that it is given", async () => {
    const { code, stdout, stderr } = await bench([
      at("session.jsonl"),
      "--only",
      "replay,ttl,estimate.error",
      "--json",
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const figures = figuresIn(stdout);
    expect(figures.get("replay.conversations")?.value).toBe(1);
    expect(figures.get("replay.turns")?.value).toBe(40);
    expect(figures.get("replay.palimpsest.recall")).toEqual({
      name: "replay.palimpsest.recall",
      value: 1,
      unit: "ratio",
    });
    expect(figures.get("replay.summarise-all@1h.cost")?.unit).toBe("$");
    expect(figures.get("ttl.chosen")?.value).toBeGreaterThan(0);
    expect(figures.get("estimate.error.newer.default.median")?.unit).toBe("ratio");
  });

  it("takes the folder of the environment", async () => {
    const found = await bench(["--only", "ttl.chosen"], { PALIMPSEST_CORPUS: directory });
    expect({ code: found.code, stderr: found.stderr }).toEqual({ code: 0, stderr: "" });
    expect(found.stdout).toMatch(/^ttl\.chosen +[\d.]+ \$$/m);
  });

  it("says that there are no recordings, and prints one document of the other figures, and nothing else", async () => {
    const none = await bench(["--only", "ttl,normalise", "--json"]);
    expect(none.code).toBe(1);
    expect(none.stderr).toMatch(/^palimpsest: no recordings were given, .*\bttl\b.*PALIMPSEST_CORPUS\n$/);
    const figures = figuresIn(none.stdout);
    expect(figures.size).toBe(8);
    expect(figures.get("normalise.round.10000.median")?.unit).toBe("µs");
    expect(figures.get("normalise.round.ratio.10000to100")?.unit).toBe("ratio");
    expect([...figures.keys()].filter((name) => !name.startsWith("normalise."))).toEqual([]);
  });

  it("refuses prefixes that no figure has, with those that there are", async () => {
    const { code, stdout, stderr } = await runHere(["bench", "--only", "nope"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^palimpsest: [^\n]*"nope"[^\n]*normalise, [^\n]*replay\)\n$/);
    const late = await bench([at("session.jsonl"), "--only", "ttl.nope"]);
    expect({ code: late.code, stdout: late.stdout }).toEqual({ code: 1, stdout: "" });
    expect(late.stderr).toBe('palimpsest: nothing was measured whose name begins with "ttl.nope"\n');
  });

  it("a file that does not exist: one sentence, and nothing is measured", async () => {
    for (const more of [[], ["--json"], ["--only", "normalise"]]) {
      const { code, stdout, stderr } = await runHere(["bench", at("nothing.jsonl"), ...more]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toBe(`palimpsest: ${at("nothing.jsonl")} does not exist\n`);
    }
  });

  it("leaves nothing behind", async () => {
    expect(await readdir(directory)).toEqual(["session.jsonl"]);
  });
});

import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "./run-here.js";
import { corpusFolder } from "../../packages/palimpsest/src/replay/testing/corpus-folder.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const corpus = corpusFolder;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as a person would: a process of its own, streams in pipes. */
async function palimpsest(...args: string[]): Promise<Outcome> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, ...args], {
      maxBuffer: 1 << 28,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

let directory = "";
const at = (name: string): string => join(directory, name);

const line = (uuid: string, parentUuid: string | null, content: unknown): string =>
  JSON.stringify({
    type: "user",
    uuid,
    parentUuid,
    sessionId: "s",
    timestamp: "2026-11-15T10:00:00.000Z",
    message: { role: "user", content },
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-check-"));
  await mkdir(at("folder"));
  await writeFile(at("empty.jsonl"), "");
  await writeFile(at("binary.jsonl"), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2]));
  await writeFile(at("brace.jsonl"), "{");
  await writeFile(at("not-utf8.jsonl"), Buffer.from([0xff, 0xfe, 0xfd, 0x0a]));
  await writeFile(
    at("other-tool.jsonl"),
    '{"level":"info","msg":"started"}\n{"level":"info","msg":"done"}\n',
  );
  await writeFile(at("good.jsonl"), `${line("a", null, "hello")}\n${line("b", "a", "again")}\n`);
  await writeFile(
    at("damaged.jsonl"),
    `${line("a", null, "hello")}\n{"type":"us\n${line("b", "a", "again")}\n`,
  );
  await writeFile(at("torn.jsonl"), `${line("a", null, "hello")}\n${line("b", "a", "x").slice(0, 40)}`);
  const long = createWriteStream(at("long-line.jsonl"));
  for (let megabyte = 0; megabyte < 50; megabyte += 1) long.write("x".repeat(1 << 20));
  await new Promise<void>((resolve) => long.end(resolve));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

describe("transcript check on bad input: one sentence, exit code 1", () => {
  it.each([
    ["missing.jsonl", "does not exist"],
    ["folder", "holds no recordings"],
    ["empty.jsonl", "is empty"],
    ["binary.jsonl", "is a binary file, not a transcript"],
    ["brace.jsonl", "is not a transcript of a known format (line 1 is not valid JSON; "],
    ["not-utf8.jsonl", "is not a transcript of a known format (line 1 is not valid UTF-8; "],
    ["other-tool.jsonl", "is not a transcript of a known format ("],
    ["long-line.jsonl", "is not a transcript of a known format (line 1 is not valid JSON; "],
    ["damaged.jsonl", "is damaged: line 2 is not valid JSON; the rest was read"],
  ])("%s", async (name, sentence) => {
    const { code, stderr } = await runHere(["transcript", "check", at(name)]);
    expect(code).toBe(1);
    expect(stderr.startsWith(`palimpsest: ${at(name)} ${sentence}`)).toBe(true);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it("a file with control characters in its name cannot steer the terminal", async () => {
    const { stderr } = await palimpsest("transcript", "check", at("\u001b[31mred"));
    expect(stderr).not.toContain("\u001b");
  });
});

describe("transcript check", () => {
  it("reports a good file and tolerates a torn last line", async () => {
    const { code, stdout, stderr } = await palimpsest(
      "transcript",
      "check",
      at("good.jsonl"),
      at("torn.jsonl"),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("claude-code: 2 messages");
    expect(stdout).toContain("last line torn");
  });

  it("--json prints one document, also when a file fails", async () => {
    const { code, stdout } = await palimpsest(
      "transcript",
      "check",
      "--json",
      at("good.jsonl"),
      at("empty.jsonl"),
    );
    expect(code).toBe(1);
    const report = JSON.parse(stdout);
    expect(report.files).toHaveLength(2);
    expect(report.files[0]).toMatchObject({
      file: at("good.jsonl"),
      format: "claude-code",
      messages: 2,
      apiResponses: 0,
      humanTurns: 2,
      toolCalls: 0,
      boundaries: 0,
      damagedLines: 0,
      maxContextTokens: 0,
      valid: true,
      problems: [],
    });
    expect(Object.values(report.files[0].repairs)).toEqual(expect.arrayContaining([0]));
    expect(report.files[1]).toMatchObject({ valid: false, error: { code: "empty" } });
    expect(report.total).toMatchObject({ files: 2, valid: 1, failed: 1 });
  });

  it.each([
    [["transcript", "check"]],
    [["transcript", "chekc", "x"]],
    [["transcritp"]],
    [["transcript", "check", "--jsno", "x"]],
  ])("wrong usage %j exits with 2", async (args) => {
    const { code, stdout, stderr } = await runHere(args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("palimpsest: ");
  });

  it.each([[["--help"]], [["transcript", "check", "--help"]], [["--version"]]])(
    "%j exits with 0",
    async (args) => {
      const { code, stdout } = await runHere(args);
      expect(code).toBe(0);
      expect(stdout).not.toBe("");
    },
  );
});

const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";

describe.skipIf(corpus === undefined)(`the corpus${reason}`, () => {
  it("every recording is recognised, valid, undamaged, and counted as its manifest counts", async () => {
    const folder = corpus ?? "";
    const files = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
    const manifest: readonly Record<string, unknown>[] = JSON.parse(
      await readFile(join(folder, "MANIFEST.json"), "utf8"),
    );
    const { code, stdout } = await palimpsest(
      "transcript",
      "check",
      "--json",
      ...files.map((name) => join(folder, name)),
    );
    const report: { files: Record<string, unknown>[] } = JSON.parse(stdout);
    const found = report.files.map((file) => ({
      file: String(file["file"]).slice(folder.length + 1),
      format: file["format"],
      messages: file["messages"],
      user_turns: file["humanTurns"],
      api_responses: file["apiResponses"],
      tool_calls_total: file["toolCalls"],
      max_context_tokens: file["maxContextTokens"],
      compact_boundaries: file["boundaries"],
      valid: file["valid"],
      damagedLines: file["damagedLines"],
    }));
    const expected = files.map((name) => {
      const entry = manifest.find((candidate) => candidate["file"] === name) ?? {};
      const keys = [
        "file",
        "format",
        "messages",
        "user_turns",
        "api_responses",
        "tool_calls_total",
        "max_context_tokens",
        "compact_boundaries",
      ];
      return { ...Object.fromEntries(keys.map((key) => [key, entry[key]])), valid: true, damagedLines: 0 };
    });
    expect(found).toEqual(expected);
    expect(code).toBe(0);
  });
});

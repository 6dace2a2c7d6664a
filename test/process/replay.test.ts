import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ended } from "./agent-command.js";
import { runHere } from "./run-here.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

/** Runs the command as a person would: a process of its own, streams in pipes. */
async function replay(...args: readonly string[]): Promise<Ended> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, "replay", ...args], {
      maxBuffer: 1 << 28,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

/** One file at a time, without a process. */
const replayHere = (...args: readonly string[]): Promise<Ended> => runHere(["replay", ...args]);

let directory = "";
const at = (name: string): string => join(directory, name);

interface Line {
  readonly type: "user" | "assistant";
  readonly content: unknown;
  readonly usage?: object;
  readonly model?: string;
}

/** A transcript in the shape of Claude Code's, a minute for each line; without times where `times` is off. */
function transcript(lines: readonly Line[], times = true): string {
  return lines
    .map(({ type, content, usage, model = "claude-opus-4-5" }, index) =>
      JSON.stringify({
        type,
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `u${index - 1}`,
        sessionId: "s",
        ...(times ? { timestamp: new Date(Date.UTC(2026, 10, 15, 10, index)).toISOString() } : {}),
        message: {
          role: type,
          content,
          ...(type === "assistant" ? { id: `m${index}`, model } : {}),
          ...(usage === undefined ? {} : { usage }),
        },
      }),
    )
    .map((line) => `${line}\n`)
    .join("");
}

const said = (content: unknown): Line => ({ type: "user", content });
const answered = (content: unknown, more: Partial<Line> = {}): Line => ({
  type: "assistant",
  content,
  ...more,
});
const calls = (id: string, path: string) => [
  { type: "text", text: "I read it." },
  { type: "tool_use", id, name: "Read", input: { file_path: path } },
];
const found = (id: string, content: string) => [{ type: "tool_result", tool_use_id: id, content }];
const usage = { input_tokens: 25_000, cache_read_input_tokens: 0, output_tokens: 20 };

const conversation: readonly Line[] = [
  said("Please read src/lamp.ts and mend it."),
  answered(calls("t1", "src/lamp.ts"), { usage }),
  said(found("t1", "import { wick } from './wick.js';\n".repeat(400))),
  answered(calls("t2", "src/wick.ts")),
  said(found("t2", "export const wick = 41_000;\n".repeat(400))),
  answered(calls("t3", "src/lamp.ts")),
  said(found("t3", "nothing new")),
  answered([{ type: "text", text: "Done." }]),
];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-replay-"));
  await mkdir(at("folder"));
  await mkdir(at("nothing"));
  await mkdir(at("nothing/deeper"));
  const write = (name: string, content: string | Uint8Array) => writeFile(at(name), content);
  await write("good.jsonl", transcript(conversation));
  await write("folder/b.jsonl", transcript(conversation));
  await write("folder/a.jsonl", transcript(conversation.slice(0, 4)));
  await write("folder/notes.txt", "not read");
  await write("folder/MANIFEST.json", '{"about":"something else"}');
  await write(
    "folder/run.traj",
    JSON.stringify(
      {
        trajectory: [
          { action: "ls", observation: "lamp.py", thought: "I look.", response: "I look.", query: [{}] },
        ],
        history: [
          { role: "system", content: "s", agent: "main" },
          { role: "user", content: "It is dark.", agent: "main" },
          { role: "assistant", content: "I look.", thought: "I look.", action: "ls", agent: "main" },
          { role: "user", content: "lamp.py", agent: "main" },
        ],
        info: {},
      },
      null,
      2,
    ),
  );
  await write(
    "forgotten.jsonl",
    transcript([
      said("look around"),
      answered(calls("t1", "src/lamp.ts")),
      said(found("t1", "import './deep/match.ts'")),
      answered(calls("t2", "src/wick.ts")),
      said(found("t2", "nothing here")),
      answered(calls("t3", "deep/match.ts")),
    ]),
  );
  await write(
    "blind.jsonl",
    transcript([
      said("look around in src/lamp.ts"),
      answered(calls("t1", "src/lamp.ts")),
      said(found("t1", "     1→import './deep/match.ts'\n     2→export const wick = trimmed(lamp);")),
      answered(calls("t2", "src/wick.ts")),
      said(found("t2", "nothing here")),
      answered([
        {
          type: "tool_use",
          id: "t3",
          name: "Edit",
          input: {
            file_path: "src/lamp.ts",
            old_string: "export const wick = trimmed(lamp);",
            new_string: "export const wick = lamp;",
          },
        },
      ]),
    ]),
  );
  await write("nothing/notes.txt", "not read");
  await write("empty.jsonl", "");
  await write("binary.jsonl", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2]));
  await write("brace.jsonl", "{");
  await write("not-utf8.jsonl", Buffer.from([0xff, 0xfe, 0xfd, 0x0a]));
  await write("other-tool.jsonl", '{"level":"info","msg":"started"}\n');
  await write("long-line.jsonl", "x".repeat(3 << 20));
  const lines = transcript(conversation).split("\n");
  await write("damaged.jsonl", [...lines.slice(0, 2), '{"type":"us', ...lines.slice(2)].join("\n"));
  await write("torn.jsonl", transcript(conversation).slice(0, -30));
  await write("unanswered.jsonl", transcript(conversation.slice(0, 1)));
  await write("one-turn.jsonl", transcript([said("hi"), answered([{ type: "text", text: "hello" }])]));
  await write("no-times.jsonl", transcript(conversation, false));
  await write("no-usage.jsonl", transcript(conversation.map(({ type, content }) => ({ type, content }))));
  await write(
    "odd-figures.jsonl",
    transcript([
      said("a"),
      answered([{ type: "text", text: "b" }], { usage: { input_tokens: "many", output_tokens: null } }),
      said("c"),
      answered([{ type: "text", text: "d" }], { usage: { input_tokens: -5, output_tokens: 1e308 } }),
      answered([{ type: "text", text: "e" }], { model: "somebody-else" }),
    ]),
  );
});

afterAll(() => rm(directory, { recursive: true, force: true }));

interface Figures {
  readonly cost: number;
  readonly costRatio: number;
  readonly recall: number;
  readonly userWords: number;
  readonly invalid: number;
  readonly turns: number;
  readonly missing?: readonly unknown[];
  readonly fullCost: number;
  readonly regainCost: number;
  readonly costAt: Readonly<Record<string, number>>;
}
interface Played {
  readonly file: string;
  readonly error?: string;
  readonly rounds: number;
  readonly format: string;
  readonly model: string;
  readonly window: number;
  readonly head: { readonly from: string };
  readonly policies: Readonly<Record<string, Figures>>;
}
interface Report {
  readonly files: readonly Played[];
  readonly total: { readonly files: number; readonly failed: number; readonly policies: Played["policies"] };
}

/** One document, and every figure in it a number. */
function parseReport(stdout: string): Report {
  const report = JSON.parse(stdout) as Report;
  const finite = (value: unknown, path: string): void => {
    if (value === null)
      expect(path).toMatch(
        /(?:ended(?:AtTurn|Because)|regainingEndedAtTurn|breakEven|roundsAgo|\.intervals)$/,
      );
    else if (typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) finite(inner, `${path}.${key}`);
    }
  };
  finite(report, "");
  return report;
}

describe("bad input: one sentence each, exit code 1", () => {
  it.each([
    ["missing.jsonl", "does not exist"],
    ["nothing", "holds no recordings (.jsonl, .json, .traj)"],
    ["empty.jsonl", "is empty"],
    ["binary.jsonl", "is a binary file, not a transcript"],
    ["brace.jsonl", "is not a transcript of a known format (line 1 is not valid JSON; "],
    ["not-utf8.jsonl", "is not a transcript of a known format (line 1 is not valid UTF-8; "],
    [
      "other-tool.jsonl",
      "is not a transcript of a known format (Claude Code, Codex, pi, Gemini CLI, OpenCode and SWE-agent",
    ],
    ["long-line.jsonl", "is not a transcript of a known format (line 1 is not valid JSON; "],
  ])("%s", async (name, sentence) => {
    const { code, stdout, stderr } = await replayHere(at(name), "--policy", "none");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([expect.stringMatching(/^palimpsest: /) as string]);
    expect(stderr).toContain(`${name} ${sentence}`);
  });

  it("plays the other files, and the rest of one that is damaged", async () => {
    const names = ["missing.jsonl", "damaged.jsonl", "nothing", "good.jsonl", "good.jsonl"];
    const { code, stdout, stderr } = await replay(...names.map(at), "--policy", "none", "--json");
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toHaveLength(3);
    expect(stderr).toContain("damaged.jsonl is damaged: 1 line could not be read; the rest was played");
    const { files, total } = parseReport(stdout);
    expect(total).toMatchObject({ files: 2, failed: 2 });
    expect(files.filter(({ error }) => error === undefined).map(({ rounds }) => rounds)).toEqual([4, 4]);
  });

  it("tolerates a last line that a crash cut off", async () => {
    const { code, stdout, stderr } = await replayHere(at("torn.jsonl"), "--policy", "none", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(parseReport(stdout).files[0]?.rounds).toBe(3);
  });

  it("gives one document where nothing could be played", async () => {
    const { code, stdout } = await replayHere(at("empty.jsonl"), at("nothing"), "--json");
    expect(code).toBe(1);
    expect(parseReport(stdout)).toMatchObject({ total: { files: 0, failed: 2, policies: {} } });
  });
});

describe("wrong usage: one sentence, exit code 2, nothing is played", () => {
  it.each([
    [["--policy", "nothing"], 'there is no policy "nothing" (known are palimpsest, none, '],
    [["--policy", "mask(at=1)"], 'mask has no option "at" (keep, batch)'],
    [["--policy", "none,none"], 'the policy "none" is named twice'],
    [["--model", "gpt-x"], "no prices are known for the model gpt-x"],
    [["--window", "many"], "A whole number, 1 or more, is expected."],
    [["--window", "0"], "A whole number, 1 or more, is expected."],
    [["--workers", "1.5"], "A whole number, 1 or more, is expected."],
    [["--nothing"], "unknown option '--nothing'"],
  ])("%s", async (flags, sentence) => {
    const { code, stdout, stderr } = await replayHere(at("good.jsonl"), ...flags);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("    at ");
  });

  it("no file", async () => {
    const { code, stderr } = await replay();
    expect(code).toBe(2);
    expect(stderr).toContain("missing required argument 'file'");
  });
});

describe("what recordings may lack", () => {
  it.each([
    ["unanswered.jsonl", 0, "assumed"],
    ["one-turn.jsonl", 1, "assumed"],
    ["no-usage.jsonl", 4, "assumed"],
    ["no-times.jsonl", 4, "recorded"],
    ["good.jsonl", 4, "recorded"],
    ["odd-figures.jsonl", 3, undefined],
  ])("%s", async (name, rounds, from) => {
    const { code, stdout, stderr } = await replayHere(at(name), "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { files, total } = parseReport(stdout);
    expect(files).toHaveLength(1);
    expect(files[0]).toMatchObject({ rounds, model: "claude-opus-4-5", format: "claude-code" });
    if (from !== undefined) expect(files[0]?.head.from).toBe(from);
    for (const figures of [...Object.values(files[0]?.policies ?? {}), ...Object.values(total.policies)]) {
      expect(figures).toMatchObject({ turns: rounds, invalid: 0, userWords: 1 });
    }
    expect(Object.keys(total.policies)).toHaveLength(17);
  });
});

describe("output", () => {
  it("a folder: its recordings in the order of their names, of every format", async () => {
    const { code, stdout, stderr } = await replay(at("folder"), "--policy", "none,mask(keep=1)", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { files, total } = parseReport(stdout);
    expect(
      files.map(({ file, format, rounds }) => [file.slice(at("folder").length + 1), format, rounds]),
    ).toEqual([
      ["a.jsonl", "claude-code", 2],
      ["b.jsonl", "claude-code", 4],
      ["run.traj", "swe-agent", 1],
    ]);
    const sum = files.reduce((dollars, { policies }) => dollars + (policies["none"]?.cost ?? 0), 0);
    expect(total.policies["none"]?.cost).toBeCloseTo(sum, 10);
    expect(Object.keys(total.policies)).toEqual(["none", "none@1h", "mask(keep=1)", "mask(keep=1)@1h"]);
  });

  it("is the same with one worker as with several, but for the time it took", async () => {
    const figures = async (workers: string) => {
      const { stdout } = await replay(
        at("folder"),
        "--policy",
        "palimpsest,none",
        "--json",
        "--workers",
        workers,
      );
      return stdout.replaceAll(/"cpu\w+": [\d.e-]+/g, "");
    };
    expect(await figures("1")).toBe(await figures("3"));
  });

  it("a table, and file by file what the first policy did", async () => {
    const { code, stdout } = await replay(at("folder"), "--policy", "palimpsest,none", "--window", "150000");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^3 conversations, 7 turns; never forgetting would cost \$\d+\.\d\d \(the ratio's 1\.00\)\n/,
    );
    expect(stdout).toMatch(
      /\npolicy +full cost +blind edits +blind turns +cost +ratio +cache hit +recall +user words +invalid +overflow/,
    );
    expect(stdout).toMatch(/\npalimpsest +\$0\.\d\d/);
    expect(stdout).toMatch(/\nnone@1h +\$0\.\d\d/);
    expect(stdout).toContain("palimpsest, file by file");
  });

  it("--missing lists what was forgotten, turn by turn", async () => {
    const masked = await replayHere(at("forgotten.jsonl"), "--policy", "mask(keep=1)", "--missing");
    expect(masked.stdout).toContain(
      "forgotten.jsonl, mask(keep=1): 1 source forgotten, 0 other names missing\n",
    );
    expect(masked.stdout).toContain(
      "\n  turn 3  Read  1 path of src/lamp.ts (disk, 1 turn ago): deep/match.ts\n",
    );
    const kept = await replayHere(at("forgotten.jsonl"), "--policy", "none", "--missing");
    expect(kept.stdout).toContain("Nothing was missing.");
    const json = await replayHere(at("good.jsonl"), "--policy", "none", "--missing", "--json");
    expect(parseReport(json.stdout).files[0]?.policies["none"]?.missing).toEqual([]);
  });

  it("an edit whose text was masked is blind: what was missing, and what reading it again costs", async () => {
    const { stdout } = await replayHere(
      at("blind.jsonl"),
      "--policy",
      "mask(keep=1),none",
      "--missing",
      "--json",
    );
    const { files, total } = parseReport(stdout);
    expect(files[0]?.policies["mask(keep=1)"]).toMatchObject({
      edits: 1,
      blindEdits: 1,
      unreadEdits: 0,
      neededTurns: 1,
      blindTurns: 1,
      regainRequests: 1,
      regainSeconds: 4.4,
      lost: 0,
      forgotten: [
        {
          turn: 2,
          tool: "Edit",
          class: "disk",
          source: "src/lamp.ts",
          roundsAgo: 1,
          lines: ["export const wick = trimmed(lamp);"],
          missingLines: 1,
        },
      ],
      beforeRecordedCompaction: { edits: 1, blindEdits: 1, regainRequests: 1 },
    });
    const masked = total.policies["mask(keep=1)"];
    if (masked === undefined) throw new Error("it was played");
    expect(masked.regainCost).toBeGreaterThan(0);
    expect(masked.fullCost).toBeCloseTo(masked.cost + masked.regainCost, 9);
    expect(masked.costAt["4"]).toBeCloseTo(masked.cost + 4 * masked.regainCost, 9);
    expect(total.policies["none"]).toMatchObject({ blindEdits: 0, blindTurns: 0, regainCost: 0 });
    const table = await replayHere(at("blind.jsonl"), "--policy", "mask(keep=1)", "--missing");
    expect(table.stdout).toMatch(/policy +full cost +blind edits +blind turns +cost /);
    expect(table.stdout).toMatch(/mask\(keep=1\) +\$\d+\.\d\d +100\.0% +33\.3% /);
    expect(table.stdout).toContain(
      "  turn 3  Edit  1 line of src/lamp.ts (disk, 1 turn ago): export const wick = trimmed(lamp);\n",
    );
  });

  it("--html writes a report that needs nothing else", async () => {
    const { code, stdout } = await replay(at("good.jsonl"), "--policy", "none", "--html", at("report.html"));
    expect(code).toBe(0);
    expect(stdout).toContain(`Report: ${at("report.html")}`);
    const page = await readFile(at("report.html"), "utf8");
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)=["']?http/i);
    const json = await replayHere(
      at("good.jsonl"),
      "--policy",
      "none",
      "--json",
      "--html",
      at("report.html"),
    );
    expect(parseReport(json.stdout).files[0]).not.toHaveProperty("policies.none.series");
  });

  it("--html to where nothing can be written: one sentence, exit code 1, the table is there", async () => {
    const path = at("no/such/folder/report.html");
    const { code, stdout, stderr } = await replayHere(at("good.jsonl"), "--policy", "none", "--html", path);
    expect(code).toBe(1);
    expect(stderr).toBe(`palimpsest: ${path} cannot be written (ENOENT)\n`);
    expect(stdout).toMatch(/\nnone +\$0\.\d\d/);
    expect(stdout).not.toContain("Report:");
    const json = await replayHere(at("good.jsonl"), "--policy", "none", "--json", "--html", at("folder"));
    expect(json).toMatchObject({
      code: 1,
      stderr: `palimpsest: ${at("folder")} cannot be written (EISDIR)\n`,
    });
    expect(parseReport(json.stdout).total.files).toBe(1);
  });

  it("shows hostile names as text", async () => {
    const name = "\u001b[31mred\u0007.jsonl";
    await writeFile(at(name), transcript(conversation));
    const { stdout } = await replay(at(name), at("good.jsonl"), "--policy", "none", "--missing");
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(stdout).toContain("\\u001b[31mred");
  });
});

describe("the recorded bill", () => {
  const usage = (read: number, written: number) => ({
    input_tokens: 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: 40,
  });
  async function billOf(name: string, input: object): Promise<unknown> {
    const call = { type: "tool_use", id: "t1", name: "ExitPlanMode", input };
    const lines: readonly Line[] = [
      { type: "user", content: "Plan it." },
      { type: "assistant", content: [call], usage: usage(0, 9000) },
      { type: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Approved." }] },
      { type: "assistant", content: [{ type: "text", text: "Done." }], usage: usage(9000, 80) },
    ];
    await writeFile(at(name), transcript(lines));
    const { stdout } = await replay(at(name), "--policy", "as-recorded", "--json");
    const { files } = JSON.parse(stdout) as {
      readonly files: readonly {
        readonly policies: Readonly<
          Record<string, { readonly recordedBill: { readonly simulated: unknown } }>
        >;
      }[];
    };
    return files[0]?.policies["as-recorded"]?.recordedBill.simulated;
  }

  it("is not charged with a plan that the program wrote into a call, but with one that the model said", async () => {
    const plan = "Read the parser, then change it. ".repeat(200);
    const bare = await billOf("bare.jsonl", { allowedPrompts: [] });
    expect(bare).toMatchObject({ cost: expect.any(Number) });
    expect(await billOf("added.jsonl", { allowedPrompts: [], plan, planFilePath: "/p.md" })).toEqual(bare);
    expect(await billOf("said.jsonl", { plan })).not.toEqual(bare);
  });
});

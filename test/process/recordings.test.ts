import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { corpusFolder } from "../../packages/palimpsest/src/replay/testing/corpus-folder.js";
import {
  madeUpExport,
  openCodeAnswer,
  openCodeCall,
  openCodeUser,
} from "../../packages/palimpsest/src/replay/testing/made-up-opencode.js";
import { runHere } from "./run-here.js";

// Tables go without a process; the rest through the shipped command.
const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function palimpsest(...args: readonly string[]): Promise<Outcome> {
  try {
    const options = { maxBuffer: 1 << 27 };
    return { code: 0, ...(await promisify(execFile)(process.execPath, [main, ...args], options)) };
  } catch (error) {
    return error as Outcome;
  }
}

interface Analysis {
  readonly file: string;
  readonly format: string | null;
  readonly size: { readonly tokens: number };
  readonly accounting: { readonly total: number };
  readonly cost: { readonly responses: number };
  readonly clearings: readonly unknown[];
  readonly unknown: readonly { readonly what: string }[];
  readonly error?: { readonly message: string };
}
interface Report<File, Total> {
  readonly files: readonly File[];
  readonly total: Total;
}
interface Figures {
  readonly turns: number;
  readonly invalid: number;
  readonly recordedBill?: { readonly responses: number; readonly error: number };
}
interface Played {
  readonly policies: Readonly<Record<string, Figures>>;
}

let directory = "";
const at = (name: string): string => join(directory, name);
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-recordings-"));
  await writeFile(at("export.json"), JSON.stringify(madeUpExport(), null, 2));
  const body = {
    model: "claude-opus-5",
    system: "Be brief.",
    tools: [{ name: "Read", description: "Reads a file.", input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: "Read a." },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: { path: "a" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "let a" }] },
      { role: "assistant", content: "It says let a." },
    ],
  };
  await writeFile(at("body.json"), JSON.stringify(body));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("an export of OpenCode, by the command", () => {
  it("is checked, analysed, estimated and replayed, its bill held against the recorded usage", async () => {
    const file = at("export.json");
    const checked = await palimpsest("transcript", "check", "--json", file);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      files: [{ format: "opencode", messages: 13, toolCalls: 8, valid: true, problems: [], repaired: [] }],
    });
    const analyzed = JSON.parse((await palimpsest("analyze", "--json", file)).stdout) as Analysis;
    expect(analyzed).toMatchObject({ file, format: "opencode", cost: { responses: 10 }, files: [{ file }] });
    expect(analyzed.accounting.total).toBe(analyzed.size.tokens);
    expect(analyzed.clearings).toHaveLength(1);
    const estimated = await palimpsest("estimate", "--json", file);
    const { total } = JSON.parse(estimated.stdout) as Report<unknown, { readonly increments: number }>;
    expect(total.increments).toBeGreaterThan(5);
    const played = await palimpsest("replay", file, "--policy", "none,as-recorded,palimpsest", "--json");
    const { files } = JSON.parse(played.stdout) as Report<Played, unknown>;
    for (const figures of Object.values(files[0]?.policies ?? {}))
      expect(figures).toMatchObject({ turns: 10, invalid: 0 });
    expect(files[0]?.policies["as-recorded"]?.recordedBill?.responses).toBe(10);
    for (const { code } of [checked, estimated, played]) expect(code).toBe(0);
  });

  it("of 50 MB is read; what is broken is refused in one sentence, and never with a stack", async () => {
    const messages = [
      openCodeUser(0, [{ type: "text", text: "Read all." }]),
      ...Array.from({ length: 250 }, (_, index) =>
        openCodeAnswer(index + 1, [
          openCodeCall(index + 1, { state: { output: `value ${index}\n`.repeat(21_000) } }),
        ]),
      ),
    ];
    const large = JSON.stringify({ info: madeUpExport().info, messages });
    expect(large.length).toBeGreaterThan(50_000_000);
    await writeFile(at("large.json"), large);
    const read = await palimpsest("transcript", "check", at("large.json"));
    expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining("250 tool calls") });
    await rm(at("large.json"));
    for (const [name, text] of [
      ["cut.json", large.slice(0, 1_000_000)],
      ["roles.json", JSON.stringify({ info: madeUpExport().info, messages: [{ info: { role: 7 } }] })],
      ["none.json", JSON.stringify({ info: madeUpExport().info, messages: [] })],
    ] as const) {
      await writeFile(at(name), text);
      for (const command of ["analyze", "replay"]) {
        const { code, stderr } = await runHere([command, at(name)]);
        expect(code).toBe(1);
        expect(stderr).toMatch(/^palimpsest: [^\n]*(?:known format|cannot be read|no messages)[^\n]*\n$/);
      }
      await rm(at(name));
    }
  });
});

describe("analyze, of several files and folders", () => {
  it("gives each file and a total; with one file its fields stand at the top too", async () => {
    await mkdir(at("folder"), { recursive: true });
    await writeFile(at("folder/copy.json"), JSON.stringify(madeUpExport(), null, 2));
    await writeFile(at("folder/other.json"), '{"name":"something else"}');
    const paths = [at("export.json"), at("body.json"), at("folder"), at("missing.json")];
    const { code, stdout, stderr } = await palimpsest("analyze", "--json", ...paths);
    expect(code).toBe(1);
    expect(stderr).toContain("copy.json holds the same as");
    expect(stderr).toContain("missing.json does not exist");
    const { files, total } = JSON.parse(stdout) as Report<
      Analysis,
      { readonly files: number; readonly failed: number; readonly accounting: { readonly total: number } }
    >;
    expect(files.map(({ format }) => format)).toEqual(["opencode", "message-list", null]);
    expect(total).toMatchObject({ files: 3, failed: 1 });
    const sizes = files.map((file) => file.size?.tokens ?? 0);
    expect(total.accounting.total).toBe(sizes.reduce((sum, tokens) => sum + tokens, 0));
    const only = JSON.parse((await palimpsest("analyze", "--json", at("body.json"))).stdout) as Analysis &
      Report<Analysis, unknown>;
    expect(only).toMatchObject({ format: "message-list", model: "claude-opus-5" });
    expect(only.files[0]).toMatchObject({ accounting: only.accounting, size: only.size });
  });

  it("says to a person what sums to what, and what it cannot know", async () => {
    const { code, stdout } = await palimpsest("analyze", at("export.json"), at("body.json"));
    expect(code).toBe(0);
    const [told = ""] = /In the context:\n(?: .*\n)+/.exec(stdout) ?? [];
    const figures = [...told.matchAll(/ ([\d,]+) +[\d.]+%/g)].map(([, figure]) =>
      Number(figure?.replaceAll(",", "")),
    );
    const all = figures.pop();
    expect(figures.reduce((sum, tokens) => sum + tokens, 0)).toBe(all);
    expect(stdout).toContain("What this recording cannot tell:");
    expect(stdout).toContain("No response reports its usage");
    expect(stdout).toContain("No prices are known for gpt-5.3-codex");
    expect(stdout).toMatch(/\nAll 2 files: /);
  });
});

const more = corpusFolder === undefined ? undefined : join(dirname(corpusFolder), "more");
const hasMore = more !== undefined && existsSync(more);
const why = hasMore
  ? ""
  : corpusFolder === undefined
    ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)"
    : " (not run: there is no folder `more` beside the one that PALIMPSEST_CORPUS names)";

describe.skipIf(!hasMore)(`the recorded exports of OpenCode${why}`, () => {
  it("are recognised, valid and replayed, within a tenth of their recorded bills", async () => {
    const folder = more ?? "";
    const names = (await readdir(folder)).filter(
      (name) => name.endsWith(".json") && name !== "MANIFEST.json",
    );
    const files = names.map((name) => join(folder, name));
    expect(files).toHaveLength(2);
    const checked = await palimpsest("transcript", "check", "--json", ...files);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      total: { files: 2, valid: 2, failed: 0, repairs: 0 },
    });
    const { stdout } = await palimpsest("analyze", "--json", ...files);
    const analyses = (JSON.parse(stdout) as Report<Analysis, unknown>).files;
    for (const { format, accounting, size, unknown } of analyses) {
      expect(format).toBe("opencode");
      expect(accounting.total).toBe(size.tokens);
      expect(unknown.map(({ what }) => what)).toContain("prices");
    }
    const played = await palimpsest("replay", ...files, "--policy", "as-recorded", "--json");
    for (const { policies } of (JSON.parse(played.stdout) as Report<Played, unknown>).files) {
      expect(policies["as-recorded"]?.invalid).toBe(0);
      expect(Math.abs(policies["as-recorded"]?.recordedBill?.error ?? 1)).toBeLessThan(0.1);
    }
  });
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { agentArguments, linesOf, makeFolders, runCommand } from "./agent-command.js";
import { startOverheardModel } from "./overheard-model.js";

const WINDOW = 80_000;
const FILLERS = 20;

let cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  cleanups = [];
});

const rows = Array.from({ length: 3000 }, (_, at) => `row(${at + 1}, "what stands in the row ${at + 1}");`);

/** An agent that changes a line, works until it is compacted, and changes another: what it was sent for that. */
async function changeTwice(flags: readonly string[] = []) {
  const folders = await makeFolders("parts");
  cleanups.push(() => folders.remove());
  const path = join(folders.work, "table.ts");
  await writeFile(path, `${rows.join("\n")}\n`);
  const edit = (from: string, to: string) => ({
    text: "I edit it.",
    calls: [{ tool: "Edit", input: { file_path: "table.ts", old_string: from, new_string: to } }],
  });
  const steps = [
    { text: "I look.", calls: [{ tool: "Read", input: { file_path: "table.ts", offset: 1490, limit: 30 } }] },
    edit(rows[1499] ?? "", 'row(1500, "was changed here");'),
    ...Array.from({ length: FILLERS }, (_, step) => ({
      text: `Filler ${step}.`,
      calls: [{ tool: "Bash", input: { command: `seq -f 'filler ${step} line %g' 1 900` } }],
    })),
    edit(rows[1502] ?? "", 'row(1503, "and here, later");'),
  ];
  const model = await startOverheardModel({ steps, closing: "Done." }, WINDOW);
  cleanups.push(model.close);
  const { code, stdout, stderr } = await runCommand(folders, [
    "-p",
    "Change the table.",
    ...agentArguments({ url: model.url, window: WINDOW }),
    ...flags,
  ]);
  const lines = linesOf(stdout);
  expect({ code, stderr, last: lines.at(-1) }).toMatchObject({
    code: 0,
    stderr: "",
    last: { subtype: "success", result: "Done." },
  });
  const full = lines.filter(({ subtype, tier }) => subtype === "context" && tier === "full");
  expect(full.length).toBeGreaterThan(0);
  return { asked: model.seen[steps.length - 1] ?? "", path };
}

it("after a compaction the lines around an edit are there, word for word as the disk has them, and are edited without being read again", async () => {
  const { asked, path } = await changeTwice();
  // The read is gone; what came back is part of the file as it stands on the disk now.
  expect(asked).not.toContain('row(1500, \\"what stands in the row 1500');
  const [, first, last, fenced = ""] =
    /table\.ts, read again from disk, in parts\\nlines (\d+) to (\d+):\\n```\\n([^]*?)\\n```/.exec(asked) ??
    [];
  const shown = (JSON.parse(`"${fenced}"`) as string).split("\n");
  expect(Number(last) - Number(first) + 1).toBe(shown.length);
  expect(shown).toEqual(
    rows.with(1499, 'row(1500, "was changed here");').slice(Number(first) - 1, Number(last)),
  );
  expect(shown).toContain(rows[1502]);
  expect(asked).not.toContain("row(1, ");
  const now = rows.with(1499, 'row(1500, "was changed here");').with(1502, 'row(1503, "and here, later");');
  expect(await readFile(path, "utf8")).toBe(`${now.join("\n")}\n`);
});

it("--memory says how much comes back: of the same file more with faithful than with thrifty", async () => {
  const rowsShown = async (dial: string): Promise<number> =>
    (await changeTwice(["--memory", dial])).asked.match(/\\nrow\(/g)?.length ?? 0;
  const thrifty = await rowsShown("thrifty");
  expect(thrifty).toBeGreaterThan(10);
  expect(await rowsShown("faithful")).toBeGreaterThan(2 * thrifty);
});

it("--memory takes one of three words", async () => {
  const folders = await makeFolders("parts");
  cleanups.push(() => folders.remove());
  const { code, stderr } = await runCommand(folders, ["-p", "Go on.", "--embedded", "--memory", "elephant"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("Allowed choices are thrifty, balanced, faithful.");
});

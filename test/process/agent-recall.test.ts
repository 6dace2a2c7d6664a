import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { agentArguments, linesOf, makeFolders, runCommand } from "./agent-command.js";
import { startOverheardModel } from "./overheard-model.js";

const WINDOW = 80_000;
const FILLERS = 60;
const FACT = "the vault opens with 7714-AMBER";
/** What a model remembers of it: not the fact. */
const QUERY = "vault opens";
/** The line that says so, as it stands in the JSON of a request. */
const HINT = /No longer in this context: .*?call Recall with a query .*?\}\./;

let cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  cleanups = [];
});

describe("Recall", () => {
  it("finds a fact again that stood only in a result which compactions took out", async () => {
    const folders = await makeFolders("recall");
    cleanups.push(() => folders.remove());
    const rows = Array.from({ length: 200 }, (_, row) =>
      row === 120 ? `row ${row}: ${FACT}` : `row ${row}: nothing of note stands in this one`,
    );
    await writeFile(join(folders.work, "ledger.txt"), `${rows.join("\n")}\n`);
    const steps = [
      { text: "I look at the ledger.", calls: [{ tool: "Bash", input: { command: "cat ledger.txt" } }] },
      ...Array.from({ length: FILLERS }, (_, step) => ({
        text: `Filler ${step}.`,
        calls: [
          { tool: "Bash", input: { command: `rm -f ledger.txt; seq -f 'filler ${step} line %g' 1 300` } },
        ],
      })),
      { text: "What was it again?", calls: [{ tool: "Recall", input: { query: QUERY } }] },
    ];
    const model = await startOverheardModel({ steps, closing: "Now I know." }, WINDOW);
    cleanups.push(model.close);
    const { seen } = model;
    const { code, stdout, stderr } = await runCommand(folders, [
      "-p",
      "Read the ledger, then count.",
      ...agentArguments({ url: model.url, window: WINDOW }),
    ]);
    const lines = linesOf(stdout);
    expect({ code, stderr, last: lines.at(-1) }).toMatchObject({
      code: 0,
      stderr: "",
      last: { subtype: "success", result: "Now I know." },
    });
    const tiers = lines.filter(({ subtype }) => subtype === "context").map(({ tier }) => String(tier));
    console.log(`room was made ${tiers.length} times: ${[...new Set(tiers)].join(", ")}`);
    expect(tiers).toContain("full");

    // It was there, it was gone when the model asked, and it is there again.
    const [asked, told] = seen.slice(-2);
    expect(seen[1]).toContain(FACT);
    expect(asked).not.toContain("7714");
    expect(told).toContain(FACT);

    // Since the first compaction one line says what went and how it is found, the same bytes until the next one.
    const hints = seen.map((messages) => HINT.exec(messages)?.[0]);
    const first = hints.findIndex((hint) => hint !== undefined);
    expect(first).toBeGreaterThan(1);
    expect(hints.slice(first)).not.toContain(undefined);
    const changes = hints.filter((hint, at) => hint !== hints[at - 1]).length;
    expect(changes).toBeLessThanOrEqual(tiers.filter((tier) => tier === "full").length);
    expect(hints[first]).toMatch(
      /^No longer in this context: \d+ messages with \d+ results \(calls: Bash \d+\) of /,
    );

    // What the transcript tells of the cost is what the run said, calls for summaries included.
    const names = await readdir(folders.data, { recursive: true });
    const transcript = names.find((name) => name.endsWith(".jsonl")) ?? "";
    const analyzed = await runCommand(folders, ["analyze", join(folders.data, transcript), "--json"]);
    const { cost } = JSON.parse(analyzed.stdout) as {
      readonly cost: { readonly dollars: number; readonly summaryCalls: number };
    };
    expect(cost.summaryCalls).toBe(tiers.filter((tier) => tier === "full").length);
    expect(cost.dollars).toBeCloseTo(Number(lines.at(-1)?.["cost"]), 9);

    // Resumed, the context is the same to the byte up to the new prompt.
    const resumed = await runCommand(folders, [
      "-p",
      "Thanks.",
      "--continue",
      ...agentArguments({ url: model.url, window: WINDOW }),
    ]);
    expect(resumed.code).toBe(0);
    expect(HINT.exec(seen.at(-1) ?? "")?.[0]).toBe(hints.at(-1));
  });
});

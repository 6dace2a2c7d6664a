import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prose } from "../../simulator/testing/client.js";
import { recordScript, type RecordingScript, type ScriptedTurn } from "../testing/scripted-recording.js";
import { adviseOn } from "./advise.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-advice-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const tool = (name: string, tokens = 300) => ({
  name,
  description: prose(`the tool ${name}`, tokens),
  input_schema: { type: "object", properties: { file_path: { type: "string" } } },
});

const read = (name: string, tokens = 1500) => ({
  name: "Read",
  input: { file_path: `/project/src/${name}.ts` },
  result: prose(`the file ${name}`, tokens),
});

/** Reads a file each turn, and says something after the last. */
const turns: readonly ScriptedTurn[] = [
  { asked: "Mend the parser.", calls: [read("parser")] },
  ...["lexer", "tokens", "scanner", "errors", "printer", "tests"].map((name): ScriptedTurn => ({
    said: `I look at ${name}.`,
    calls: [read(name)],
  })),
  { said: "It is mended." },
  { asked: "And the printer?", calls: [read("format")] },
  { said: "It is fine. ".repeat(20) },
];

const ownTools = [tool("Read"), tool("Bash"), tool("Edit")];

const clean: RecordingScript = {
  turns,
  tools: () => ownTools,
  system: () => prose("the system prompt", 2500),
};

let files = 0;
function recorded(script: Partial<RecordingScript>): { readonly file: string; readonly dollars: number } {
  files += 1;
  const file = join(folder, `recording-${files}.jsonl`);
  return { file, dollars: recordScript(file, { ...clean, ...script }) };
}

/** The one advice on a recording with a waste, and what the waste came to on the simulator's own bills. */
async function adviceOn(wasteful: Partial<RecordingScript>, without: Partial<RecordingScript> = {}) {
  const waste = recorded(wasteful);
  const { advice, note } = await adviseOn([waste.file]);
  return { advice, note, wasted: waste.dollars - recorded(without).dollars, dollars: waste.dollars };
}

function expectPrice({ advice, wasted, dollars }: Awaited<ReturnType<typeof adviceOn>>): void {
  expect(wasted).toBeGreaterThan(0);
  expect(advice).toHaveLength(1);
  expect((advice[0]?.dollars ?? 0) / wasted).toBeGreaterThan(0.9);
  expect((advice[0]?.dollars ?? 0) / wasted).toBeLessThan(1.1);
  expect(advice[0]?.share).toBeCloseTo((advice[0]?.dollars ?? 0) / dollars, 6);
}

const paused = (minutes: number): readonly ScriptedTurn[] =>
  turns.map((turn, at) => (at % 3 === 2 ? { ...turn, pause: minutes } : turn));

describe.each([
  ["a transcript", false],
  ["a recording with requests", true],
])("of %s", (_, withRequests) => {
  it("five minutes with long pauses", async () => {
    const long = { turns: paused(20), withRequests };
    const found = await adviceOn(long, { ...long, lifetime: "1h" });
    expectPrice(found);
    expect(found.advice[0]?.what).toContain("an hour instead of five minutes");
    expect(found.advice[0]?.why).toContain("3 pauses");
  });

  it("an hour that is never used", async () => {
    const found = await adviceOn({ lifetime: "1h", withRequests }, {});
    expectPrice(found);
    expect(found.advice[0]?.what).toContain("five minutes instead of an hour");
  });

  it("files that are read again, in requests of their own", async () => {
    const again: readonly ScriptedTurn[] = [
      ...turns.slice(0, 4),
      { said: "Once more.", calls: [read("parser")] },
      { calls: [read("lexer"), read("tokens")] },
      ...turns.slice(4),
    ];
    const found = await adviceOn({ turns: again, withRequests });
    expectPrice(found);
    expect(found.advice[0]?.why).toContain("3 reads");
    expect(found.advice[0]?.why).toContain("2 requests had nothing else to bring");
    expect(found.advice[0]?.why).toContain("/project/src/parser.ts");
  });

  it("files that are read again beside others", async () => {
    const beside = turns.map((turn, at) =>
      at === 3 || at === 5
        ? { ...turn, calls: [...(turn.calls ?? []), read("parser"), read("lexer")] }
        : turn,
    );
    const found = await adviceOn({ turns: beside, withRequests });
    expectPrice(found);
    expect(found.advice[0]?.why).toContain("4 reads");
    expect(found.advice[0]?.why).not.toContain("nothing else");
  });

  it("nothing on a clean one", async () => {
    const { advice, note } = await adviceOn({ withRequests });
    expect(advice).toEqual([]);
    expect(note).toContain("Nothing was found");
    expect(note?.includes("not recorded")).toBe(!withRequests);
  });

  it("nothing of a file that was read again after it changed", async () => {
    const changed = [
      ...turns,
      { asked: "Again.", calls: [{ ...read("parser"), result: prose("another text", 1500) }] },
      { said: "Yes." },
    ];
    const { advice } = await adviseOn([recorded({ turns: changed, withRequests }).file]);
    expect(advice).toEqual([]);
  });
});

describe("of a recording with requests", () => {
  const servers = [tool("mcp__search__find"), tool("mcp__search__open"), tool("mcp__tickets__list", 500)];

  it("MCP servers that were never called", async () => {
    const found = await adviceOn({ tools: () => [...ownTools, ...servers], withRequests: true });
    expectPrice(found);
    expect(found.advice[0]?.what).toBe("Disconnect the MCP servers search and tickets.");
    expect(found.advice[0]?.why).toContain("3 tools");
  });

  it("not a server that was called, in whichever conversation", async () => {
    const tools = () => [...ownTools, ...servers];
    const asks = { name: "mcp__tickets__list", input: { file_path: "x" }, result: "none" };
    const calling = [{ asked: "Which tickets are there?", calls: [asks] }, ...turns.slice(1)];
    const { advice } = await adviseOn([
      recorded({ tools, withRequests: true }).file,
      recorded({ tools, withRequests: true, turns: calling }).file,
    ]);
    expect(advice.map(({ what }) => what)).toEqual(["Disconnect the MCP server search."]);
  });

  it("a time in the system prompt", async () => {
    const system = (_: number, at: number): string =>
      `You mend code. It is ${new Date(at).toISOString()}. ${prose("the system prompt", 2500)}`;
    const found = await adviceOn({ system, withRequests: true }, { system: () => system(0, 0) });
    expectPrice(found);
    expect(found.advice[0]?.what).toContain("Take the date or time out of block 0 of the system prompt");
    expect(found.advice[0]?.why).toContain("changed 9 times");
    expect(found.advice[0]?.why).toMatch(/“…?.*2026-11-15T10:\d\d.*” became/);
  });

  it("a status before the first message", async () => {
    const reminder = (turn: number): string =>
      `Branch main, ${turn % 2 === 0 ? "clean" : "3 files changed"}.`;
    const found = await adviceOn({ reminder, withRequests: true }, { reminder: () => reminder(0) });
    expectPrice(found);
    expect(found.advice[0]?.what).toContain("Keep the first message the same");
  });

  it("a tool that says something else each time, and the system prompt with it", async () => {
    const tools = (turn: number) => [
      tool("Read"),
      { ...tool("Bash"), description: `Runs commands, ${turn} so far. ${prose("shell")}` },
    ];
    const system = (turn: number): string => `${turn} of 9. ${prose("the system prompt", 2500)}`;
    const found = await adviceOn(
      { tools, system, withRequests: true },
      { tools: () => tools(0), system: () => system(0) },
    );
    expectPrice(found);
    expect(found.advice[0]?.what).toBe(
      "Keep the tool Bash and block 0 of the system prompt the same from request to request.",
    );
  });

  it("tools in another order each time", async () => {
    const tools = (turn: number) => (turn % 2 === 0 ? ownTools : ownTools.toReversed());
    const found = await adviceOn({ tools, withRequests: true });
    expectPrice(found);
    expect(found.advice[0]?.what).toContain("Keep the order of the tools");
  });

  it("three wastes at once, the dearest first, and no fourth", async () => {
    const again = turns.map((turn, at) =>
      at > 2 && turn.calls !== undefined
        ? { ...turn, pause: 1, calls: [...turn.calls, read("parser", 3000)] }
        : turn,
    );
    const { advice } = await adviceOn({
      turns: again,
      tools: () => [...ownTools, ...servers],
      lifetime: "1h",
      system: (turn) => `Turn ${turn}. ${prose("the system prompt", 2500)}`,
      withRequests: true,
    });
    expect(advice).toHaveLength(3);
    const dollars = advice.map((one) => one.dollars);
    expect(dollars).toEqual(dollars.toSorted((one, other) => other - one));
  });
});

describe("files", () => {
  it("that are not recordings are told of, and do not stop the others", async () => {
    const broken = join(folder, "broken.txt");
    await writeFile(broken, "hello");
    const { file } = recorded({ lifetime: "1h" });
    const { advice, failed, conversations } = await adviseOn([broken, join(folder, "absent"), file]);
    expect(advice).toHaveLength(1);
    expect(conversations).toBe(1);
    expect(failed.map(({ file: name }) => name)).toEqual([broken, join(folder, "absent")]);
  });

  it("of several conversations count together", async () => {
    const { file } = recorded({ lifetime: "1h" });
    const other = recorded({ lifetime: "1h", turns: turns.map((turn) => ({ ...turn, pause: 0.4 })) }).file;
    const [one, two, both] = await Promise.all([
      adviseOn([file]),
      adviseOn([other]),
      adviseOn([file, other]),
    ]);
    expect(both.advice[0]?.dollars).toBeCloseTo(
      (one.advice[0]?.dollars ?? 0) + (two.advice[0]?.dollars ?? 0),
      9,
    );
  });

  it("can be called off", async () => {
    const { file } = recorded({});
    await expect(adviseOn([file], { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  });

  it("with hostile names hold no line breaks and no keys in what is said", async () => {
    const name = "/a\n\u001B[31mb sk-ant-0123456789abcdef/c.ts";
    const hostile = { name: "Read", input: { file_path: name }, result: prose("a file", 2000) };
    const again = [
      { asked: "Go.", calls: [hostile] },
      { calls: [hostile] },
      { calls: [hostile] },
      { said: "Done." },
    ];
    const { file } = recorded({ turns: again });
    await appendFile(file, '{"type":"assistant","message":');
    const { advice } = await adviseOn([file]);
    expect(advice).toHaveLength(1);
    expect(JSON.stringify(advice)).not.toContain("sk-ant-0123456789abcdef");
    expect(advice[0]?.why).not.toContain("\n");
  });
});

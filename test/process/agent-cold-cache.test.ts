import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { linesOf, makeFolders, type Folders, type Line } from "./agent-command.js";
import { Client } from "./control-client.js";
import { put } from "./hostile-stage.js";
import { pausedBefore } from "./paused-before.js";
import { startScriptedApi, type ScriptedApi } from "./scripted-api.js";

const MINUTE = 60_000;

/** A clock that is as many milliseconds ahead as a file says. */
const clockOf = (file: string): string => `
import { readFileSync } from "node:fs";
const real = Date.now.bind(Date);
const ahead = () => { try { return Number(readFileSync(${JSON.stringify(file)}, "utf8")) || 0; } catch { return 0; } };
Date.now = () => real() + ahead();
`;

const work = [1, 2, 3, 4, 5, 6].map((step) => ({
  text: "Next.",
  calls: [{ tool: "Bash", input: { command: `seq -f 'line %g of part ${step}, as it is' 1 1000` } }],
}));

interface Stage {
  readonly at: Folders;
  readonly api: ScriptedApi;
  readonly client: Client;
  /** By so much the clocks of both are put forward. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

const stages: Stage[] = [];
afterEach(async () => {
  for (const { client, api, at } of stages.splice(0)) {
    client.kill();
    await api.close();
    await at.remove();
  }
});

/** One that has worked, and whose client says nothing more; by then it is two and a half minutes later. */
async function stage(env: NodeJS.ProcessEnv): Promise<Stage> {
  const at = await makeFolders("cold");
  // A person who was always away for more than an hour.
  await pausedBefore(at, 100);
  const ahead = join(at.root, "ahead");
  await put(join(at.root, "clock.mjs"), clockOf(ahead));
  const told = (event: string) => ({
    [event]: [{ hooks: [{ type: "command", command: `echo ${event} >> "$HOME/heard"` }] }],
  });
  const late = { type: "command", command: `[ -e "$HOME/ahead" ] || printf ${2.6 * MINUTE} > "$HOME/ahead"` };
  const hooks = { ...told("PreCompact"), ...told("PostCompact"), Stop: [{ hooks: [late] }] };
  const api = await startScriptedApi([...work, "All of it was read.", "Go on with what?", "Once more."]);
  const client = new Client(
    at,
    [
      ["--base-url", api.url, "--model", "claude-sonnet-5", "--allowedTools", "Bash(seq:*)"],
      ["--settings", JSON.stringify({ hooks }), "--events", join(at.root, "events.jsonl")],
    ].flat(),
    {
      PALIMPSEST_TRUST: "1",
      NODE_OPTIONS: `--import=${join(at.root, "clock.mjs")}`,
      PALIMPSEST_CACHE_TTL: "5m",
      PALIMPSEST_CACHE_KEEP_ALIVE_MARGIN_5M: String(2.5 * MINUTE),
      PALIMPSEST_COMPACT_EARLY_LEAST: "20000",
      PALIMPSEST_COMPACT_EARLY_SHARE: "0.001",
      PALIMPSEST_KEEP_RECENT_TOKENS: "0",
      ...env,
    },
  );
  let passed = 2.6 * MINUTE;
  const made = {
    at,
    api,
    client,
    async pass(milliseconds: number) {
      passed += milliseconds;
      api.advance(milliseconds);
      await writeFile(ahead, String(passed));
    },
  };
  stages.push(made);
  client.prompt("Read all of it.");
  await client.result(1);
  return made;
}

const on = { PALIMPSEST_CACHE_KEEP_ALIVE: "1" };
const isPrepared = ({ text }: Line): boolean => String(text).startsWith("A summary was prepared");
const costOf = (line: Line | undefined): number => Number(line?.["total_cost_usd"]);
const steps = (lines: readonly Line[]): readonly Line[] =>
  lines.filter(({ subtype }) => subtype === "context");
const heardIn = async ({ root }: Folders): Promise<string> =>
  readFile(join(root, "heard"), "utf8").catch(() => "");

describe("a client that comes back after the cache has ended", () => {
  it("is answered for less: the summary was written on the warm cache, and takes effect before the prompt; hooks hear once", async () => {
    const { client, api, pass, at } = await stage(on);
    const { text } = await client.next(isPrepared);
    expect(text).toMatch(
      /^A summary was prepared on the warm cache for \$0\.\d{4} \(\$0\.\d{4} of at most \$0\.5000\)/,
    );
    expect(await heardIn(at)).toBe("PreCompact\n");
    const before = await client.result(1);
    await pass(30 * MINUTE);
    const sent = api.bodies.length;
    client.prompt("Here I am.");
    const after = await client.result(2);
    // One request, and it is short.
    expect(api.bodies.length).toBe(sent + 1);
    expect(JSON.stringify(api.bodies.at(-1)).includes("line 500 of part 3")).toBe(false);
    expect(steps(client.lines)).toMatchObject([
      {
        tier: "full",
        writer: "fork",
        trigger: "auto",
        text: expect.stringMatching(
          /^Conversation compacted · .+ · prepared while you were away for \$0\.\d{4}$/,
        ),
      },
    ]);
    client.prompt("/undo");
    expect((await client.result(3))["result"]).toMatch(/^The last compaction is undone/);
    await client.end();
    expect(await heardIn(at)).toBe("PreCompact\nPostCompact\n");
    const events = linesOf(await readFile(join(at.root, "events.jsonl"), "utf8"));
    expect(events.filter(({ event }) => event === "compact")).toMatchObject([{ data: { writer: "fork" } }]);

    const plain = await stage({});
    const first = await plain.client.result(1);
    await plain.pass(30 * MINUTE);
    plain.client.prompt("Here I am.");
    const second = await plain.client.result(2);
    await plain.client.end();
    expect(plain.client.lines.some(isPrepared)).toBe(false);
    // All of it is written anew.
    expect(steps(plain.client.lines)).toEqual([]);
    const [paid, paidWithout] = [costOf(after) - costOf(before), costOf(second) - costOf(first)];
    expect(paid).toBeGreaterThan(0);
    expect(paid).toBeLessThan(0.8 * paidWithout);
  });

  it("who is back in time finds everything as it was, and is told what the summary has cost", async () => {
    const { client, api, pass, at } = await stage(on);
    await client.next(isPrepared);
    await pass(MINUTE);
    client.prompt("Here I am.");
    await client.result(2);
    await client.end();
    expect(client.lines.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /^The summary that was prepared .+ \(\$0\.\d{4}\) is not used: The cache is still warm\.$/,
      ),
    );
    expect(JSON.stringify(api.bodies.at(-1)).includes("line 500 of part 3")).toBe(true);
    expect(steps(client.lines)).toEqual([]);
    expect(await heardIn(at)).toBe("PreCompact\n");
  });
});

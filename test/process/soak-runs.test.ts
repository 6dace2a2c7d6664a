import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { soakRuns } from "../../packages/palimpsest/src/soak/soak-runs.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

/** What each has to have tried at least, so that its success says something. */
const least: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "conversation-chaos": { turns: 100, responses: 50 },
  "long-run": { calls: 75 },
  notes: { calls: 100, updates: 1 },
  resume: { resumed: 1, messages: 1 },
  lives: { lives: 1, response: 1 },
  "store-crash": { killed: 4, acknowledged: 1, reopened: 1 },
  "store-lock": { races: 1 },
  tokenizers: { turns: 1 },
  "shell-fuzz": { commands: 125, ran: 10 },
  plans: { turns: 5 },
  "simulator-fuzz": { requests: 250, accepted: 1 },
  "agent-kill": { kills: 1, requests: 4, steps: 4 },
};

/** A second of each long run, and what it needs to check what it has begun. */
it.each(soakRuns.map(({ name }) => name))("%s holds", async (name) => {
  const given = process.env["PALIMPSEST_PROPERTY_SEED"];
  const seeded = given === undefined ? [] : ["--seed", given];
  const args = [main, "soak", "--only", name, "--minutes", String(1 / 60), "--json", ...seeded];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { seed, runs } = JSON.parse(stdout) as {
    readonly seed: number;
    readonly runs: readonly {
      readonly tried: Readonly<Record<string, number>>;
      readonly failures: unknown;
    }[];
  };
  const [run] = runs;
  const tried = run?.tried ?? {};
  console.log(`${name}, seed ${seed}: ${JSON.stringify(tried)}`);
  expect(run?.failures).toEqual([]);
  expect(least[name]).toBeDefined();
  for (const [what, count] of Object.entries(least[name] ?? {}))
    expect({ what, count: Math.min(tried[what] ?? 0, count) }).toEqual({ what, count });
});

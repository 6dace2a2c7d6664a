import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";
import { soakRuns } from "../../packages/palimpsest/src/soak/soak-runs.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

/** What each has to have tried at least, so that its success says something. */
const least: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  lists: { lists: 200 },
  "conversation-chaos": { turns: 50, responses: 25 },
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
  "gateway-bytes": { exchanges: 40, whole: 10 },
  "agent-kill": { kills: 1, requests: 4, steps: 4 },
};

interface RunReport {
  readonly name: string;
  readonly tried: Readonly<Record<string, number>>;
  readonly failures: unknown;
}

/** The shortest time: of each long run what it does before it asks whether time is up. */
const MINUTES = 0.001;

/** The others with another seed, and all of them where the whole gate runs: it plays each for its share of five minutes. */
const names = someOf(
  soakRuns.map(({ name }) => name),
  6,
);

let seed = 0;
let reports: readonly RunReport[] = [];
beforeAll(async () => {
  const given = process.env["PALIMPSEST_PROPERTY_SEED"];
  const seeded = given === undefined ? [] : ["--seed", given];
  const args = [main, "soak", "--only", names.join(","), "--minutes", String(MINUTES), "--json", ...seeded];
  // What failed is in the document.
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  ({ seed, runs: reports } = JSON.parse(stdout) as {
    readonly seed: number;
    readonly runs: readonly RunReport[];
  });
});

it.each(names)("%s holds", (name) => {
  const { tried, failures } = reports.find((run) => run.name === name) ?? {};
  console.log(`${name}, seed ${seed}: ${JSON.stringify(tried)}`);
  expect(failures).toEqual([]);
  expect(least[name]).toBeDefined();
  for (const [what, count] of Object.entries(least[name] ?? {}))
    expect({ what, count: Math.min(tried?.[what] ?? 0, count) }).toEqual({ what, count });
});

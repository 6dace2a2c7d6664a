import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const runs = fileURLToPath(new URL("../../soak/runs.mjs", import.meta.url));
const MINUTES = 0.02;

it("the long run of the screen holds", async () => {
  const given = process.env["PALIMPSEST_PROPERTY_SEED"];
  const seeded = given === undefined ? [] : ["--seed", given];
  const args = [
    main,
    "soak",
    "--runs",
    runs,
    "--only",
    "screen",
    "--minutes",
    String(MINUTES),
    "--json",
    ...seeded,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  const { seed, runs: reports } = JSON.parse(stdout);
  const [{ tried, failures }] = reports;
  console.log(`screen, seed ${seed}: ${JSON.stringify(tried)}`);
  expect(failures).toEqual([]);
  expect(tried.sequences).toBeGreaterThan(0);
});

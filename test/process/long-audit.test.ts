import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

/** A fake of the API that nobody here wrote. */
const judge = process.env["PALIMPSEST_OUTSIDE_JUDGE"];
const isThere = judge !== undefined && existsSync(judge);
const reason = isThere ? "" : " (not run: PALIMPSEST_OUTSIDE_JUDGE names no fake-api.mjs)";
const bench = fileURLToPath(new URL("../../bench/long-audit.mjs", import.meta.url));

interface Figure {
  readonly name: string;
  readonly value: number;
}

describe.skipIf(!isThere)(`the long audit of an outside judge${reason}`, () => {
  it("100 steps: none refused, all done, at most a million input-equivalents, the prompt verbatim", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [bench, "--steps", "100", "--json"]);
    const { figures } = JSON.parse(stdout) as { readonly figures: readonly Figure[] };
    const valueOf = (name: string): number | undefined =>
      figures.find((figure) => figure.name === `long audit, 100 steps: ${name}`)?.value;
    console.log(`${valueOf("input-equivalents")?.toFixed(3)}M input-equivalents`);
    expect(valueOf("rejected")).toBe(0);
    expect(valueOf("steps done")).toBe(100);
    expect(valueOf("input-equivalents")).toBeLessThanOrEqual(1);
    expect(valueOf("prompt verbatim at the end")).toBe(1);
  });
});

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { aiSdk7 } from "./ai-sdk-7.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

/** A fake of the API that nobody here wrote. */
const judge = process.env["PALIMPSEST_OUTSIDE_JUDGE"];
const isThere = judge !== undefined && existsSync(judge);
const reason = isThere ? "" : " (not run: PALIMPSEST_OUTSIDE_JUDGE names no fake-api.mjs)";
const bench = fileURLToPath(new URL("../../bench/adapters-audit.mjs", import.meta.url));

interface Figure {
  readonly name: string;
  readonly equivalents: number;
  readonly rejected: number;
  readonly steps: number;
}

describe.skipIf(!isThere)(`the long audit through each adapter${reason}`, () => {
  it("100 steps: none refused, all done, at most 1.05 million input-equivalents", async () => {
    const known = ["ai-sdk-6", "langchain", "anthropic-sdk", ...(aiSdk7 === undefined ? [] : ["ai-sdk-7"])];
    const tried = someOf(known, 2);
    const args = [bench, "--steps", "100", "--only", tried.join(","), "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { figures } = JSON.parse(stdout) as { readonly figures: readonly Figure[] };
    expect(figures).toHaveLength(tried.length);
    for (const { name, equivalents, rejected, steps } of figures) {
      console.log(`${name}: ${equivalents.toFixed(3)}M input-equivalents`);
      expect(rejected).toBe(0);
      expect(steps).toBe(100);
      expect(equivalents).toBeLessThanOrEqual(1.05);
    }
  });
});

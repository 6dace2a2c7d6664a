import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));
const COMPACTIONS = new Set(["full", "notes"]);

/** What the demo shows at its end. */
export const demoBench = {
  name: "demo",
  async *run() {
    const { stdout } = await promisify(execFile)(process.execPath, [command, "demo", "--json"]);
    const { window, responses, calls, inputTokens, cacheHit, cost, userWords, steps, checks, seconds } =
      JSON.parse(stdout);
    const compactions = steps.filter(({ tier }) => COMPACTIONS.has(tier)).length;
    const holding = checks.filter(({ holds }) => holds).length;
    yield { name: "demo.window", value: window, unit: "tokens" };
    yield { name: "demo.responses", value: responses, unit: "turns" };
    yield { name: "demo.calls", value: calls, unit: "calls" };
    yield { name: "demo.input", value: inputTokens, unit: "tokens" };
    yield { name: "demo.clearings", value: steps.length - compactions, unit: "clearings" };
    yield { name: "demo.compactions", value: compactions, unit: "compactions" };
    yield { name: "demo.checks-that-hold", value: holding / checks.length, unit: "ratio" };
    yield { name: "demo.cache-hit", value: cacheHit, unit: "ratio" };
    yield { name: "demo.cost", value: cost.palimpsest, unit: "$" };
    yield { name: "demo.cost.summarise-all", value: cost.summariseAll, unit: "$" };
    yield { name: "demo.cost.without-caching", value: cost.withoutCaching, unit: "$" };
    yield { name: "demo.user-words", value: userWords.palimpsest, unit: "ratio" };
    yield { name: "demo.user-words.summarise-all", value: userWords.summariseAll, unit: "ratio" };
    yield { name: "demo.time", value: seconds * 1000, unit: "ms" };
  },
};

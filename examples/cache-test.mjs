// A cache test of an agent as it would stand in CI: what it must hold, and what a date in the system prompt does to it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const palimpsest = join(
  dirname(createRequire(import.meta.url).resolve("palimpsest/package.json")),
  "bin/palimpsest.mjs",
);
const agent = fileURLToPath(new URL("lab/ai-sdk-agent.mjs", import.meta.url));

/** palimpsest simulate --assert '…' -- node lab/ai-sdk-agent.mjs */
const cacheTest = (...args) =>
  spawnSync(
    process.execPath,
    [
      palimpsest,
      "simulate",
      "--assert",
      "cacheHit>=0.9,breaks=0,refused=0",
      "--",
      process.execPath,
      agent,
      ...args,
    ],
    { encoding: "utf8" },
  );

const kept = cacheTest();
console.log(kept.stdout + kept.stderr);
assert.equal(kept.status, 0, kept.stderr);
assert.match(kept.stderr, /20 requests, 9\d\.\d% of .* read from the cache, 0 breaks, 0 refused/);

const dated = cacheTest("--dated");
console.log(dated.stdout + dated.stderr);
assert.equal(dated.status, 1, dated.stderr);
assert.match(dated.stderr, /breaks=0 does not hold: breaks is 19/);
assert.match(dated.stderr, /request 2: .* byte 6,\d+ of system block 0 \(system\.0\) differs: "…/);

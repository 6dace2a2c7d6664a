import type { ReplayReport } from "../replay/results/policy-result.js";
import { policyNames } from "../replay/policies/parse-policies.js";
import { replayFiles } from "../replay/replay-files.js";
import type { Benchmark } from "./benchmark.js";
import type { Figure } from "./figure.js";

const WINDOW = 200_000;

/**
 * What the policies cost on recordings and what they forget, in a window of 200,000 tokens. The engine is as it
 * comes: settings of the environment do not count, so that figures can be compared.
 */
export const replayBenchmark: Benchmark = {
  name: "replay",
  needsRecordings: true,
  async *run({ recordings, tell }): AsyncGenerator<Figure> {
    const started = performance.now();
    const report = await replayFiles(recordings, {
      policies: policyNames.join(","),
      env: {},
      window: WINDOW,
      onProgress: ({ filesDone, files, playing }) => {
        const rounds = playing.map(({ round, rounds: all }) => `turn ${round} of ${all}`);
        tell(`replay: ${filesDone} of ${files} played; ${rounds.join(", ")}`);
      },
    });
    yield { name: "replay.time", value: performance.now() - started, unit: "ms" };
    yield* figuresOf(report);
  },
};

function* figuresOf({ files, total }: ReplayReport): Generator<Figure> {
  const failed = files.find((file) => "error" in file);
  if (failed !== undefined && "error" in failed) throw new Error(`${failed.file} ${failed.error}`);
  yield { name: "replay.conversations", value: total.files, unit: "conversations" };
  yield { name: "replay.turns", value: total.rounds, unit: "turns" };
  yield { name: "replay.never-forgetting.cost", value: total.unlimitedCost, unit: "$" };
  for (const [policy, figures] of Object.entries(total.policies)) {
    const { cost, cacheHit, recall, userWords, turns, invalid, overflow, cpuMsP50, cpuMsP99 } = figures;
    const name = `replay.${policy}`;
    yield { name: `${name}.cost`, value: cost, unit: "$" };
    yield { name: `${name}.cache-hit`, value: cacheHit, unit: "ratio" };
    yield { name: `${name}.recall`, value: recall, unit: "ratio" };
    yield { name: `${name}.user-words`, value: userWords, unit: "ratio" };
    yield { name: `${name}.answered`, value: turns / total.rounds, unit: "ratio" };
    yield { name: `${name}.refused`, value: invalid + overflow, unit: "requests" };
    yield { name: `${name}.cpu.p50`, value: cpuMsP50, unit: "ms" };
    yield { name: `${name}.cpu.p99`, value: cpuMsP99, unit: "ms" };
  }
}

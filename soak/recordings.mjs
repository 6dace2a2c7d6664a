import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const command = fileURLToPath(new URL("../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

const WINDOW = 200_000;
/** Nothing is ever forgotten in it. */
const ENDLESS_WINDOW = 1_000_000_000;
const MOST_OF_SUMMARISE_ALL = 0.85;
const LEAST_RECALL = 0.95;
const LEAST_RECALL_OF_A_FILE = 0.9;
/** Policies that remember about as much must not be cheaper. */
const COMPARABLE_RECALL = 0.02;

/** Replays every recording of some folders; the relations of policies are judged once all of them were played. */
export const recordingsRun = (folders) => ({
  name: "recordings",
  about: `every recording in ${folders.join(", ")}: nothing invalid or over the window, all words kept, cheaper than what remembers as much`,
  passes: 1,
  async pass({ random, step, isOver, signal }) {
    const left = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(folder, name)),
    );
    const totals = new Map();
    while (left.length > 0) {
      const [path] = left.splice(random.below(left.length), 1);
      const play = async (...more) => {
        const args = [command, "replay", path, "--json", ...more];
        const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 28, signal });
        return JSON.parse(stdout).files[0];
      };
      const file = await play("--window", String(WINDOW));
      checkFile(file);
      checkNothingForgotten(await play("--window", String(ENDLESS_WINDOW), "--policy", "none"));
      for (const [policy, figures] of Object.entries(file.policies)) add(totals, policy, figures);
      await step({ recordings: 1, turns: file.rounds });
      if (isOver()) return;
    }
    checkTotals(totals);
  },
});

const ensure = (holds, otherwise) => {
  if (!holds) throw new Error(otherwise);
};

function checkFile({ file, error, rounds, policies }) {
  ensure(error === undefined, `${file}: ${error}`);
  const { invalid, overflow, turns, endedBecause, recall, userWords } = policies.palimpsest;
  const isWhole = invalid === 0 && overflow === 0 && turns === rounds && endedBecause === null;
  ensure(isWhole, `${file}: ${JSON.stringify({ invalid, overflow, turns, rounds, endedBecause })}`);
  ensure(recall >= LEAST_RECALL_OF_A_FILE, `${file}: recall ${recall}`);
  ensure(userWords === 1, `${file}: user words ${userWords}`);
  for (const [name, figures] of Object.entries(policies)) {
    ensure(figures.invalid === 0, `${file}: ${figures.invalid} requests of ${name} are invalid`);
  }
}

/** As packages/palimpsest/src/replay/play/play-corpus.test.ts has it of the smaller ones. */
function checkNothingForgotten({ file, error, rounds, policies }) {
  ensure(error === undefined, `${file}: ${error}`);
  for (const [name, figures] of Object.entries(policies)) {
    const { recall, userWords, turns, cost, fullCost, costRatio } = figures;
    const { invalid, overflow, blindEdits, unreadEdits, blindTurns, lost } = figures;
    const seen = { recall, userWords, turns, cost, fullCost, costRatio };
    const none = { invalid, overflow, blindEdits, unreadEdits, blindTurns, lost };
    const isAll = recall === 1 && userWords === 1 && turns === rounds && fullCost === cost;
    ensure(
      isAll && costRatio >= 1 - 1e-9 && Object.values(none).every((count) => count === 0),
      `${file}: ${name} in an endless window: ${JSON.stringify({ rounds, ...seen, ...none })}`,
    );
  }
}

function add(totals, policy, { cost, overflow, references, missingReferences }) {
  const sum = totals.get(policy) ?? { cost: 0, overflow: 0, references: 0, missing: 0 };
  totals.set(policy, {
    cost: sum.cost + cost,
    overflow: sum.overflow + overflow,
    references: sum.references + references,
    missing: sum.missing + missingReferences,
  });
}

function checkTotals(totals) {
  const recallOf = ({ references, missing }) => (references === 0 ? 1 : 1 - missing / references);
  const own = totals.get("palimpsest");
  ensure(recallOf(own) >= LEAST_RECALL, `recall ${recallOf(own)}`);
  const all = totals.get("summarise-all").cost;
  ensure(own.cost <= all * MOST_OF_SUMMARISE_ALL, `$${own.cost} against $${all} of summarise-all`);
  const allLonger = totals.get("summarise-all@1h").cost;
  ensure(own.cost < allLonger, `$${own.cost} against $${allLonger} of summarise-all@1h`);
  for (const [name, total] of totals) {
    const isComparable = total.overflow === 0 && recallOf(total) >= recallOf(own) - COMPARABLE_RECALL;
    const isCheaper = name !== "palimpsest" && isComparable && total.cost <= own.cost;
    ensure(!isCheaper, `${name} remembers as much for $${total.cost} against $${own.cost}`);
  }
}

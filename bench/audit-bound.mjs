/**
 * The least that the long audit with needs can cost at each share of needs met, whatever the policy: what a context costs
 * that knows how old the lines are that are needed, but neither which nor when, and lets go of any result for nothing.
 * Beside it the least of policies that let go as real ones can: all but the newest at once, by a summary on the cached
 * beginning. Both are reckoned by the outside judge's own draws (`drawNeed`) and the sizes of one short run of the
 * command (`PALIMPSEST_OUTSIDE_JUDGE`).
 *
 * Between the two stand clearing (results go, their calls stay, nobody writes a summary and nothing comes back), the
 * same where nothing at all stays of what goes, and both in turns: every so many clearings a summary takes all of it.
 *
 *   npm run build && node bench/audit-bound.mjs [--steps 400] [--seeds 1,2,3 | --draws 3000] [--rest 10000] [--head 1500] [--json]
 *
 * `--rest`: tokens after a compaction beside system prompt, tools and the results kept: summary, names, files.
 * `--head`: tokens of system prompt and tools, in place of ours.
 */
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { runAudit } from "./long-audit.mjs";
import { outsideJudge } from "./outside-judge.mjs";

/** In prices of a token of input, as the judge's equivalents are. */
const PRICES = { read: 0.1, write: 1.25, output: 5 };
/** A step needs something before every so many. */
const EVERY = 4;
/** Steps of the run that sizes are taken from: too few for a compaction. */
const SIZING_STEPS = 12;
const MOST_AGE = 150;
/** The summary of the judge, 4 KB. */
const SUMMARY_TOKENS = 1024;
/** A call whose result was cleared, with the word for it. */
const CLEARED_TOKENS = 60;
const SHARES = [60, 66, 70, 72, 75, 77, 80, 85];

/** Tokens of system prompt and tools, of what a step adds, and of an answer. */
async function sizesOf(judge) {
  const { requests } = await runAudit(judge, SIZING_STEPS);
  const main = requests.filter(({ kind }) => kind === "main");
  const first = main[0];
  const last = main.at(-1);
  return {
    head: first.tokens,
    step: (last.tokens - first.tokens) / (main.length - 1),
    output: main.reduce((sum, { usage }) => sum + usage.out, 0) / main.length,
  };
}

/** For each step that needs something: how likely it lies within each age. */
function chancesOf(drawNeed, { steps, seeds }) {
  const chances = new Map();
  for (let step = EVERY; step <= steps; step += EVERY) {
    const within = new Float64Array(MOST_AGE + 1);
    for (const seed of seeds) within[drawNeed(step, seed).age] += 1 / seeds.length;
    for (let age = 1; age <= MOST_AGE; age += 1) within[age] += within[age - 1];
    chances.set(step, within);
  }
  return chances;
}

/** Plays one policy: `held` says how many of the newest results are there, and what it costs to come to that. */
function play({ steps, sizes, chances }, hold) {
  let cost = 0;
  let met = 0;
  let before = 0;
  for (let step = 1; step <= steps + 1; step += 1) {
    const { held, rest = 0, extra = 0 } = hold(before);
    const context = sizes.head + rest + held * sizes.step;
    const isFirst = step === 1;
    const turn =
      PRICES.read * (isFirst ? 0 : context - sizes.step) +
      PRICES.write * (isFirst ? sizes.head : sizes.step) +
      PRICES.output * sizes.output;
    cost += turn + extra;
    const within = step <= steps ? chances.get(step) : undefined;
    if (within !== undefined) {
      const chance = within[Math.min(held, MOST_AGE)];
      met += chance;
      // What is missing is fetched by one more turn.
      cost += (1 - chance) * turn;
    }
    before = held;
  }
  return { cost, met: met / chances.size };
}

/** The newest `most` results, the oldest of which goes for nothing. */
const sliding = (most) => (before) => ({ held: Math.min(before + 1, most) });

/**
 * Grows by `more`, then all results but the newest `kept` go, and of each `stays` tokens are left; from the first of
 * them on all is written anew. Every `every`th time a summary takes all of it.
 */
function clearing({ kept, more, sizes, rest = 0, stays = CLEARED_TOKENS, every = Infinity }) {
  let [left, times] = [0, 0];
  return (before) => {
    const held = before + 1;
    if (held <= kept + more) return { held, rest: left };
    times += 1;
    const results = Math.max(0, kept - 1) * sizes.step;
    if (times % every === 0) {
      const context = sizes.head + left + held * sizes.step;
      left = rest;
      const extra =
        PRICES.read * context +
        PRICES.output * SUMMARY_TOKENS +
        (PRICES.write - PRICES.read) * (rest + results);
      return { held: kept, rest: left, extra };
    }
    const cleared = (held - kept) * stays;
    left += cleared;
    return { held: kept, rest: left, extra: (PRICES.write - PRICES.read) * (cleared + results) };
  };
}

/** For each share the cheapest that reaches it. */
const frontier = (points) =>
  SHARES.map(
    (share) => points.filter(({ met }) => 100 * met >= share).toSorted((a, b) => a.cost - b.cost)[0],
  );

async function main() {
  const { values } = parseArgs({
    options: {
      steps: { type: "string", default: "400" },
      seeds: { type: "string", default: "1,2,3" },
      draws: { type: "string" },
      rest: { type: "string", default: "10000" },
      head: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const judge = outsideJudge();
  if (judge === undefined) return;
  const { drawNeed } = await import(pathToFileURL(judge).href);
  const [steps, rest] = [Number(values.steps), Number(values.rest)];
  const seeds =
    values.draws === undefined
      ? values.seeds.split(",").map(Number)
      : Array.from({ length: Number(values.draws) }, (_, at) => at + 1);
  const measured = await sizesOf(judge);
  const sizes = values.head === undefined ? measured : { ...measured, head: Number(values.head) };
  const given = { steps, sizes, chances: chancesOf(drawNeed, { steps, seeds }) };
  const bound = Array.from({ length: MOST_AGE }, (_, at) => ({
    at: at + 1,
    ...play(given, sliding(at + 1)),
  }));
  const ways = {
    "nothing stays": [{ stays: 0 }],
    clearing: [{}],
    "both in turns": [2, 3, 4, 5, 6, 7, 8].map((every) => ({ rest, every })),
    summaries: [{ rest, every: 1 }],
  };
  const reached = Object.fromEntries(
    Object.entries(ways).map(([name, options]) => {
      const points = [];
      for (let kept = 1; kept <= 40; kept += 1)
        for (let more = 1; more <= 68; more += 1)
          for (const option of options)
            points.push({ kept, more, ...play(given, clearing({ kept, more, sizes, ...option })) });
      return [name, frontier(points)];
    }),
  );
  const bounds = frontier(bound);
  if (values.json) {
    console.log(JSON.stringify({ sizes, shares: SHARES, bounds, reached }));
    return;
  }
  const tokens = (count) => Math.round(count).toLocaleString("en");
  console.log(
    `system prompt and tools ${tokens(sizes.head)} tokens, a step ${tokens(sizes.step)}, an answer ${tokens(sizes.output)}; ${seeds.length} draws\n`,
  );
  const show = (point) => (point === undefined ? "-" : `${(point.cost / 1e6).toFixed(2)}M`);
  const saw = (point) => (point === undefined ? "-" : `(${point.kept}, ${point.more})`);
  const row = (share, least, others) =>
    console.log(
      share.padStart(9) +
        least.padStart(24) +
        others
          .map((text) => text.padStart(24))
          .join("")
          .trimEnd(),
    );
  row("needs met", "for nothing, steps held", Object.keys(ways));
  for (const [at, share] of SHARES.entries()) {
    const least = bounds[at];
    row(
      `${share}%`,
      `${show(least)} ${least?.at ?? "-"}`,
      Object.values(reached).map((points) => `${show(points[at])} ${saw(points[at])}`),
    );
  }
  console.log("\nIn brackets: steps kept, then more.");
}

await main();

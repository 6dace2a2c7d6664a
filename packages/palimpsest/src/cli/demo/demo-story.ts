import type { DemoArea } from "./demo-areas.js";

/** What the person says, in four turns: after the second they are away for a while. */
export interface DemoTurn {
  readonly text: string;
  /** Simulated minutes that pass before it. */
  readonly minutesBefore: number;
  /** How many areas are done when it ends. */
  readonly areasDone: number;
  /** It goes on until the model sees results that a pause can clear, but not beyond so many areas. */
  readonly untilResults?: { readonly areasAtMost: number };
}

/** Long enough that the cache is cold, and old results go without costing anything. */
const PAUSE_MINUTES = 75;

export interface StoryFacts {
  readonly keptLine: string;
  readonly areas: readonly DemoArea[];
}

export function demoTurns({ keptLine, areas }: StoryFacts): readonly DemoTurn[] {
  const [first, second, last, third] = [4, 7, 10, 11].map((share) => Math.round((share / 14) * areas.length));
  return [
    { text: firstWords(keptLine, areas), minutesBefore: 0, areasDone: first ?? areas.length },
    {
      text:
        "That is what I meant. Go on with the next areas. One thing I saw: the ledger under fixtures is what the release " +
        "team signs, so look at its size whenever you mention it, and never change it. Their limit is 4,096 bytes, not 4,000.",
      minutesBefore: 2,
      areasDone: second ?? areas.length,
      untilResults: { areasAtMost: last ?? areas.length },
    },
    {
      text:
        "I was at lunch. Please carry on where you were; the order of the list stays as it is. Lena asked whether the modules " +
        "could be read by a program: yes, so nothing but valid JavaScript in them.",
      minutesBefore: PAUSE_MINUTES,
      areasDone: third ?? areas.length,
    },
    {
      text:
        "Now the rest, and then inventory/summary.mjs with one line for each area. Say what the agent in the background " +
        "found out, and look at the ledger once more at the end. I need it before 16:40.",
      minutesBefore: 3,
      areasDone: areas.length,
    },
  ];
}

/** The instruction that has to hold to the end stands last, after more words than a hasty summary keeps. */
const firstWords = (
  keptLine: string,
  areas: readonly DemoArea[],
): string => `I want an inventory of what this code base offers, written as small modules that a program can read.

Why: we are about to split the packages, and nobody can say any more what is exported where. Last time we guessed, and two teams lost a week because a helper that everybody used had moved without anybody noticing. A list that somebody wrote by hand would be wrong after a month, so I want modules with a test beside them that compares them with the sources.

What: a folder inventory/ with one module for each of the ${areas.length} areas below. Each module exports the name of its area, and for each source file of the area the number of its lines and the names that it exports, in the order in which they stand in the file. Besides there is inventory/index.mjs, which re-exports all of them under names of their own, and inventory/inventory.test.mjs, which reads the sources again and compares. Run the test after every area, not only at the end: if a list is wrong I want to know at once which area it was.

How: look around first and make a plan, then keep a list of what is to be done. Read the files themselves; a search alone has missed things before, because some exports stand on a line of their own. Leave everything outside inventory/ as it is. Somebody can look through the tests in the meantime, in the background, and say how many there are. When you start on the fifth area, load the skill module-form and follow it from then on.

The areas, in this order: ${areas.map(({ name }) => name).join(", ")}.

One rule for all of this, to the very end and without being told again: every file you create begins with the line \`${keptLine}\`, because our release script looks for it and refuses files without it.`;

export const planText = (areas: readonly DemoArea[]): string =>
  [
    "# Plan: an inventory of the code base",
    "",
    "1. inventory/index.mjs and inventory/inventory.test.mjs first, so that every area can be tested as it comes.",
    "2. For each area: search its exports, read its files, write its module, join it to the index, run the test.",
    ...areas.map(({ name, module }) => `   - ${name} → ${module}`),
    "3. A subagent counts the tests in the background; its answer goes into the last report.",
    "4. inventory/summary.mjs at the end, with one line for each area.",
    "",
    "Checked by: node --test inventory/inventory.test.mjs, which recomputes lines and names from the sources.",
  ].join("\n");

export interface DemoTodo {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** The list while the area with this number is being worked on. */
export const todosAt = (areas: readonly DemoArea[], current: number): readonly DemoTodo[] =>
  [...areas.map(({ name }) => `Inventory of ${name}`), "Write the summary and report"].map(
    (content, index) => ({
      content,
      status: index < current ? "completed" : index === current ? "in_progress" : "pending",
    }),
  );

export const skillFile = (reviewedLine: string): string => `---
name: module-form
description: How modules of an inventory are written. Use it before writing one.
---
# The form of a module

- One object per source file, in the order of the files' names.
- Names stand in double quotes, numbers as they are.
- No comments but those that the person asked for.
- The module ends with the line \`${reviewedLine}\`, which says that it was written by these rules.
`;

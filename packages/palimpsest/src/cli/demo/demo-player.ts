import type { AnswerBlock, Player, PlayerPrompt } from "../../simulator/player.js";
import type { DemoArea } from "./demo-areas.js";
import { indexText, joinedModule, moduleText, summaryModule, testText } from "./demo-modules.js";
import { planText, todosAt, type DemoTurn } from "./demo-story.js";
import { seeInPrompt, type SeenInPrompt } from "./seen-in-prompt.js";

export interface DemoPlayerOptions {
  readonly work: string;
  readonly areas: readonly DemoArea[];
  readonly turns: readonly DemoTurn[];
  /** Told of every request of the main conversation that is answered here. */
  readonly onRequest: (prompt: PlayerPrompt) => void;
}

type Stage =
  | "look"
  | "plan"
  | "begin"
  | "search"
  | "read"
  | "join"
  | "test"
  | "rest"
  | "collect"
  | "report"
  | "done";

/** How far the work has come. What it is about, the player knows from the prompt alone. */
interface Progress {
  readonly stage: Stage;
  readonly area: number;
  /** Rounds of reading for this area. */
  readonly reads: number;
  readonly turn: number;
}

interface DemoMemory {
  readonly main: Progress;
  /** Answers of the agent in the background. */
  readonly aside: number;
}

interface Decided {
  readonly content: readonly AnswerBlock[];
  readonly next: Progress;
}

const SKILL_AREA = 4;
const AGENT_AREA = 2;
const LEDGER_AREA = 1;
/** After these areas the ledger is looked at. */
const LEDGER_LOOKS: ReadonlySet<number> = new Set([1, 2, 3, 5, 8]);
const READS_AT_ONCE = 4;
const MOST_READS = 8;

const call = (name: string, input: Readonly<Record<string, unknown>>): AnswerBlock => ({
  type: "tool_use",
  name,
  input,
});
const say = (text: string): AnswerBlock => ({ type: "text", text });

/**
 * Plays a model that works through the demo's task. It obeys what it sees in a request: an instruction, a skill, a
 * file or a name that is no longer there, it does not know.
 */
export function createDemoPlayer(options: DemoPlayerOptions): Player {
  const { work, onRequest } = options;
  return {
    answer(prompt, memory) {
      const { main, aside } = readMemory(memory);
      const isMain = prompt.request.tools?.some(({ name }) => name === "Agent") ?? false;
      if (!isMain) return { answer: { content: asideAnswer(aside) }, memory: { main, aside: aside + 1 } };
      onRequest(prompt);
      const seen = seeInPrompt(prompt.messages, work);
      const { content, next } = decide(main, { ...options, seen });
      return { answer: { content }, memory: { main: next, aside } satisfies DemoMemory };
    },
  };
}

const readMemory = (memory: unknown): DemoMemory =>
  typeof memory === "object" && memory !== null && "main" in memory
    ? (memory as DemoMemory)
    : { main: { stage: "look", area: 0, reads: 0, turn: 0 }, aside: 0 };

type Situation = DemoPlayerOptions & { readonly seen: SeenInPrompt };

function decide(progress: Progress, situation: Situation): Decided {
  const { areas, seen } = situation;
  const to = (stage: Stage, more: Partial<Progress> = {}): Progress => ({ ...progress, stage, ...more });
  const begun = (text: string): string => (seen.keptLine === undefined ? text : `${seen.keptLine}\n${text}`);
  switch (progress.stage) {
    case "look":
      return {
        content: [
          say("I look around before I plan."),
          call("EnterPlanMode", {}),
          call("Glob", { pattern: "packages/*/src/**/index.ts" }),
          call("Grep", { pattern: "^export \\{", output_mode: "count", path: "packages", head_limit: 40 }),
        ],
        next: to("plan"),
      };
    case "plan":
      return { content: [call("ExitPlanMode", { plan: planText(areas) })], next: to("begin") };
    case "begin":
      return {
        content: [
          call("TodoWrite", { todos: todosAt(areas, 0) }),
          call("Write", { file_path: "inventory/index.mjs", content: begun(indexText) }),
          call("Write", { file_path: "inventory/inventory.test.mjs", content: begun(testText) }),
        ],
        next: to("search"),
      };
    case "search":
      return { content: searchCalls(progress.area, situation), next: to("read", { reads: 0 }) };
    case "read":
      return readOrWrite(progress, situation);
    case "join": {
      const area = areaAt(areas, progress.area);
      return {
        content: [
          call("Read", { file_path: "inventory/index.mjs" }),
          call("Edit", { file_path: "inventory/index.mjs", ...joinedModule(area) }),
        ],
        next: to("test"),
      };
    }
    case "test":
      return testArea(progress, situation);
    case "rest":
      return {
        content: [
          say(
            `${progress.area} of ${areas.length} areas are done; the test ${seen.hasFailed ? "fails" : "passes"}.`,
          ),
        ],
        next: to("search", { turn: progress.turn + 1 }),
      };
    case "collect":
      return {
        content: [
          ...(seen.agentId === undefined
            ? [say("I no longer know which agent worked in the background.")]
            : [call("AgentOutput", { id: seen.agentId })]),
          seen.ledger === undefined
            ? call("Glob", { pattern: "fixtures/*.json" })
            : call("Bash", { command: `wc -c ${seen.ledger}`, description: "Look at the ledger's size" }),
        ],
        next: to("report"),
      };
    case "report":
      return {
        content: [
          call("Write", { file_path: "inventory/summary.mjs", content: begun(summaryModule(areas)) }),
          call("TodoWrite", { todos: todosAt(areas, areas.length + 1) }),
          call("Bash", { command: TEST_COMMAND, description: "Run the test a last time" }),
        ],
        next: to("done"),
      };
    case "done":
      return {
        content: [say(`The inventory of ${areas.length} areas is written and tested.`)],
        next: progress,
      };
  }
}

export const TEST_COMMAND = "node --test inventory/inventory.test.mjs";

function searchCalls(index: number, { areas, seen }: Situation): readonly AnswerBlock[] {
  const { name, directory } = areaAt(areas, index);
  return [
    say(`Next: ${name}.`),
    call("TodoWrite", { todos: todosAt(areas, index) }),
    call("Grep", { pattern: "^export ", path: directory, output_mode: "content", head_limit: 60 }),
    ...(index === LEDGER_AREA ? [call("Glob", { pattern: "fixtures/*.json" })] : []),
    ...(index === SKILL_AREA ? [call("Skill", { skill: "module-form" })] : []),
    ...(index === AGENT_AREA
      ? [
          call("Agent", {
            description: "Count the tests",
            prompt: "Count the test files of this code base and say where most of them are.",
            subagent_type: "explore",
            run_in_background: true,
          }),
        ]
      : []),
    ...(LEDGER_LOOKS.has(index) && seen.ledger !== undefined
      ? [call("Bash", { command: `wc -c ${seen.ledger}`, description: "Look at the ledger's size" })]
      : []),
  ];
}

/** Reads what it does not see, and writes the module once it sees everything. */
function readOrWrite(progress: Progress, { areas, seen }: Situation): Decided {
  const area = areaAt(areas, progress.area);
  const unseen = area.files.filter((path) => seen.fileText(path) === undefined);
  if (unseen.length > 0 && progress.reads < MOST_READS) {
    return {
      content: unseen.slice(0, READS_AT_ONCE).map((file_path) => call("Read", { file_path })),
      next: { ...progress, reads: progress.reads + 1 },
    };
  }
  const lines = [
    ...(seen.keptLine === undefined ? [] : [seen.keptLine]),
    moduleText(area, seen.fileText),
    ...(seen.reviewedLine === undefined ? [] : [seen.reviewedLine]),
  ];
  return {
    content: [call("Write", { file_path: area.module, content: `${lines.join("\n")}\n` })],
    next: { ...progress, stage: "join" },
  };
}

/** Results that a turn has to leave behind where the person goes away afterwards: some are kept in any case. */
const ENOUGH_RESULTS = 12;

function isTurnOver(
  { areasDone, untilResults }: DemoTurn,
  { area, results }: { readonly area: number; readonly results: number },
): boolean {
  if (untilResults === undefined) return area === areasDone;
  return area >= untilResults.areasAtMost || (area >= areasDone && results >= ENOUGH_RESULTS);
}

function testArea(progress: Progress, { areas, turns, seen }: Situation): Decided {
  const area = progress.area + 1;
  const turn = turns[progress.turn];
  const stage =
    area === areas.length
      ? "collect"
      : turn !== undefined && isTurnOver(turn, { area, results: seen.results })
        ? "rest"
        : "search";
  return {
    content: [call("Bash", { command: TEST_COMMAND, description: "Run the test" })],
    next: { ...progress, stage, area, reads: 0 },
  };
}

/** The agent in the background looks twice and answers. */
function asideAnswer(answered: number): readonly AnswerBlock[] {
  if (answered === 0) return [call("Glob", { pattern: "packages/**/*.test.ts" })];
  if (answered === 1) {
    return [call("Grep", { pattern: "^import .* from .vitest", path: "packages", output_mode: "count" })];
  }
  return [say("Tests stand beside the code; most of them belong to the engine and to the agent's tools.")];
}

function areaAt(areas: readonly DemoArea[], index: number): DemoArea {
  const area = areas[index];
  if (area === undefined) throw new RangeError(`there is no area ${index}`);
  return area;
}

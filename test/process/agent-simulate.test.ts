import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  agentArguments,
  filesBelow,
  linesOf,
  makeFolders,
  runCommand,
  startSimulate,
  type Folders,
  type RunningSimulator,
} from "./agent-command.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

const STEPS = 96;
const WINDOW = 60_000;
const PARTS = 8;
const CLOSING = "Every step of the work is done.";

let folders: Folders | undefined;
let simulator: RunningSimulator | undefined;
afterEach(async () => {
  await simulator?.stop();
  await folders?.remove();
});

const pathOf = (part: number): string => `src/part-${part}.txt`;
const filler = (part: number): string =>
  Array.from({ length: 60 }, (_, line) => `part ${part} line ${line}: words that fill a line up`).join("\n");
const textOf = (part: number, value: number): string => `value = ${value};\n${filler(part)}\n`;
const read = (part: number) => ({ tool: "Read", input: { file_path: pathOf(part) } });
const shell = (command: string) => ({ tool: "Bash", input: { command } });

/** How often each part has been edited when a step comes. */
const editsBefore = (step: number, part: number): number =>
  Array.from({ length: step }, (_, earlier) => earlier).filter(
    (earlier) => earlier % 4 === 1 && partOf(earlier) === part,
  ).length;
const partOf = (step: number): number => Math.floor(step / 4) % PARTS;

/** One answer of the model: reading in parallel, an edit after a read, loud commands, files written. */
function stepAt(step: number): object {
  const part = partOf(step);
  const thinking = `Step ${step}: what comes next is clear.`;
  switch (step % 4) {
    case 0:
      return {
        thinking,
        text: `Step ${step} looks around.`,
        calls: [
          read(part),
          read((part + 3) % PARTS),
          { tool: "Grep", input: { pattern: "value = \\d+", path: "src", output_mode: "content" } },
        ],
      };
    case 1: {
      const value = editsBefore(step, part);
      return {
        text: `Step ${step} changes part ${part}.`,
        calls: [
          read(part),
          {
            tool: "Edit",
            input: {
              file_path: pathOf(part),
              old_string: `value = ${value};`,
              new_string: `value = ${value + 1};`,
            },
          },
        ],
      };
    }
    case 2:
      return { thinking, calls: [shell(`seq -f 'step ${step} output line %g' 1 ${150 + (step % 7) * 40}`)] };
    default:
      return {
        text: `Step ${step} writes down what it did.`,
        calls: [
          shell(`echo step ${step} >> log.txt`),
          { tool: "Write", input: { file_path: `out/step-${step}.txt`, content: `This is step ${step}.\n` } },
          shell("wc -l log.txt"),
        ],
      };
  }
}

/** What goes wrong on the way; each is one refused or broken response. */
const faultAt = (step: number): readonly object[] => {
  if (step % 64 === 10) return [{ error: { status: 529 } }];
  if (step % 64 === 30) return [{ error: { status: 500 } }];
  return [];
};

function script(): object {
  const steps = Array.from({ length: STEPS }, (_, step) => [
    ...faultAt(step),
    step % 64 === 41 ? { ...stepAt(step), delivery: { cutAfterEvents: 4 } } : stepAt(step),
  ]).flat();
  return { steps, closing: CLOSING };
}

const PLANNED = {
  byScript: 2 + 2,
  cutByScript: 1,
  onDemand: ["429@50:1s", "cut@70:3", "529@90"],
};

/** Room is made late and in small steps, so that a short run sees much of it. */
const TIGHT = {
  PALIMPSEST_RESERVE: "8000",
  PALIMPSEST_AUTOCOMPACT_BUFFER: "6000",
  PALIMPSEST_COMPACT_EARLY: "false",
};
const CLEARING = {
  ...TIGHT,
  PALIMPSEST_CLEAR_SIZE_TARGET: "8000",
  PALIMPSEST_CLEAR_SIZE_AT_LEAST: "8000",
  PALIMPSEST_CLEAR_SIZE_BELOW: "0.8",
};
const NOTES = { ...TIGHT, PALIMPSEST_NOTES: "true" };

describe("the agent over a socket to the simulator", () => {
  const rows: readonly { readonly ways: readonly string[]; readonly settings: NodeJS.ProcessEnv }[] = [
    { ways: ["size-based", "full"], settings: CLEARING },
    { ways: ["notes"], settings: NOTES },
  ];
  it.each(someOf(rows, 1))(
    `does ${STEPS} steps with thinking, parallel calls and faults, making room by $ways`,
    async ({ ways, settings }) => {
      folders = await makeFolders("simulated");
      await mkdir(join(folders.work, "src"));
      for (let part = 0; part < PARTS; part += 1) {
        await writeFile(join(folders.work, pathOf(part)), textOf(part, 0));
      }
      const file = join(folders.root, "script.json");
      await writeFile(file, JSON.stringify(script()));
      simulator = await startSimulate([
        "--player",
        `script:${file}`,
        "--window",
        String(WINDOW),
        "--faults",
        PLANNED.onDemand.join(","),
      ]);
      const { code, stdout, stderr } = await runCommand(
        folders,
        [
          "-p",
          "Do all of the work in src, step by step.",
          ...agentArguments({ url: simulator.url, window: WINDOW }),
        ],
        settings,
      );
      const lines = linesOf(stdout);
      // Notes that were still being written may be told of after it.
      const last = lines.findLast(({ type }) => type === "result");
      expect({ code, stderr, last }).toMatchObject({
        code: 0,
        stderr: "",
        last: { type: "result", subtype: "success", result: CLOSING },
      });

      // Nothing was refused but what was planned.
      const requests = await simulator.requests();
      // A stream that was to be cut may have been a scripted error: there is nothing to cut then.
      const isScripted = (message: string | undefined): boolean => message === "Scripted error";
      const refused = requests.filter(
        ({ status, faults, error }) => status !== 200 && (faults.length === 0 || isScripted(error?.message)),
      );
      expect(refused.map(({ error }) => error?.message)).toEqual(
        Array.from({ length: PLANNED.byScript }, () => "Scripted error"),
      );
      expect(requests.filter(({ faults }) => faults.length > 0)).toHaveLength(PLANNED.onDemand.length);
      const cut = requests.filter(({ journey, faults }) => journey === "cut" && faults.length === 0);
      // One that met a fault was not sent at all, or not cut by the script.
      expect(cut.length).toBeLessThanOrEqual(PLANNED.cutByScript);
      expect(cut.length).toBeGreaterThanOrEqual(PLANNED.cutByScript - PLANNED.onDemand.length);
      const retries = lines.filter(({ subtype }) => subtype === "retry");
      expect(retries.length).toBeGreaterThanOrEqual(PLANNED.byScript + PLANNED.cutByScript);

      // Every call was carried out.
      const results = lines.flatMap((line) => {
        const content = (line["message"] as { readonly content?: unknown } | undefined)?.content;
        return line["type"] === "user" && Array.isArray(content) ? (content as readonly Result[]) : [];
      });
      const failed = results.filter((block) => block.type === "tool_result" && block.is_error === true);
      expect(failed).toEqual([]);

      const tiers = lines.filter(({ subtype }) => subtype === "context").map(({ tier }) => String(tier));
      console.log(`${requests.length} requests, room made by ${tiers.join(", ")}`);
      expect(tiers).toEqual(expect.arrayContaining([...ways]));

      // The files are what the steps make of them.
      const logged = Array.from({ length: STEPS }, (_, step) => step).filter((step) => step % 4 === 3);
      expect(await filesBelow(folders.work)).toEqual(
        Object.fromEntries([
          ["log.txt", logged.map((step) => `step ${step}\n`).join("")] as const,
          ...logged.map((step) => [`out/step-${step}.txt`, `This is step ${step}.\n`] as const),
          ...Array.from(
            { length: PARTS },
            (_, part) => [pathOf(part), textOf(part, editsBefore(STEPS, part))] as const,
          ),
        ]),
      );
    },
  );
});

interface Result {
  readonly type: string;
  readonly is_error?: boolean;
  readonly content?: unknown;
}

import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Benchmark } from "./benchmark.js";
import { createCommandJudge, type CommandJudge } from "./command-judge.js";
import type { Figure } from "./figure.js";
import { readCommands, type RecordedProject } from "./recorded-commands.js";
import { placeCommands } from "./stand-in.js";
import { makeTemporaryFolder } from "./temporary-folder.js";

/** Rules as people write them who let an agent build, test and look after their versions. */
const typicalRules = "git gh npm npx pnpm bun node go make cargo mise golangci-lint gofmt python3 pytest"
  .split(" ")
  .map((program) => `Bash(${program}:*)`);

/** What became of one recorded command. */
export interface CommandVerdict {
  /** As it was judged: the project's folder stands in the place of the recorded one. */
  readonly command: string;
  /** Of the command and where it runs in its project; the same for the same recordings on every machine. */
  readonly hash: string;
  /** Runs unasked where there are no rules. */
  readonly isUnasked: boolean;
  /** Runs unasked with rules that people write. */
  readonly isRuled: boolean;
}

/** Judges every shell command of recordings in stand-ins for their projects. Nothing is run. */
export async function judgeRecordedCommands(
  recordings: readonly string[],
  tell: (text: string) => void = () => {},
): Promise<readonly CommandVerdict[]> {
  const projects: RecordedProject[] = [];
  for (const file of recordings.toSorted()) projects.push(await readCommands(file));
  const folder = await makeTemporaryFolder("permissions");
  try {
    const home = join(folder.path, "home");
    mkdirSync(home);
    const placed = placeCommands(projects, folder.path);
    const judges = new Map<string, readonly [CommandJudge, CommandJudge]>();
    return placed.map(({ command, root, directory }, index) => {
      if (index % 100 === 0) tell(`permissions: command ${index} of ${placed.length}`);
      const make = (allow: readonly string[]): CommandJudge =>
        createCommandJudge({ root, directory, home, rules: { allow } });
      const [plain, ruled] = judges.get(directory) ?? [make([]), make(typicalRules)];
      judges.set(directory, [plain, ruled]);
      const relative = `${basename(root)}${directory.slice(root.length)}\n${command.replaceAll(root, "<root>")}`;
      return {
        command,
        hash: createHash("sha256").update(relative).digest("hex").slice(0, 24),
        isUnasked: plain(command) === "allow",
        isRuled: ruled(command) === "allow",
      };
    });
  } finally {
    await folder.remove();
  }
}

/** How many of the commands that agents really called would run without a question. */
export const permissionsBenchmark: Benchmark = {
  name: "permissions",
  needsRecordings: true,
  async *run({ recordings, tell }): AsyncGenerator<Figure> {
    const verdicts = await judgeRecordedCommands(recordings, tell);
    if (verdicts.length === 0) return;
    const unasked = verdicts.filter(({ isUnasked }) => isUnasked).length;
    const ruled = verdicts.filter(({ isRuled }) => isRuled).length;
    yield { name: "permissions.commands", value: verdicts.length, unit: "commands" };
    yield { name: "permissions.unasked", value: unasked, unit: "commands" };
    yield { name: "permissions.unasked.ratio", value: unasked / verdicts.length, unit: "ratio" };
    yield { name: "permissions.ruled", value: ruled, unit: "commands" };
    yield { name: "permissions.ruled.ratio", value: ruled / verdicts.length, unit: "ratio" };
  },
};

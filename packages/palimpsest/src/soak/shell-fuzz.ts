import { realpathSync } from "node:fs";
import { createCommandJudge, type CommandJudge, type CommandJudgeOptions } from "../bench/command-judge.js";
import type { Random } from "../bench/random.js";
import { makeCommand } from "./shell-grammar.js";
import { optionSweep } from "./shell-reader-call.js";
import { createShellSandbox, type Deeds, type ShellSandbox } from "./shell-sandbox.js";
import type { Counts, SoakContext, SoakRun } from "./soak-run.js";
import { withFolder } from "./with-folder.js";

const COMMANDS = 10_000;
const BATCH = 500;

export const shellFuzzRun: SoakRun = {
  name: "shell-fuzz",
  about: "no command that runs unasked does in a real bash what no rule allows, or what a rule forbids",
  passes: 10,
  pass: ({ random, step, isOver }: SoakContext) =>
    withFolder("shell-fuzz", async (directory) => {
      const sandbox = createShellSandbox(realpathSync(directory));
      const [escape] = await fuzzShell({ random, sandbox, commands: COMMANDS, step, isOver });
      if (escape !== undefined) throw new Error(escape);
    }),
};

/** A person's rules, and what they leave to forbid. */
interface Profile {
  readonly name: string;
  readonly options: Pick<CommandJudgeOptions, "mode" | "rules">;
  /** What bash did that these rules do not permit; undefined where it did nothing of the kind. */
  readonly wrong: (deeds: Deeds, made: readonly string[]) => string | undefined;
}

/** Programs that only show something, whatever they are called with by a command that was rightly let through. */
const harmless: ReadonlySet<string> = new Set(
  "cat head tail tac nl rev cut comm cmp readlink realpath column md5sum sha1sum sha256sum od hexdump fold paste join echo printf true false seq basename dirname pwd whoami id uname nproc tr ls wc du df stat grep egrep fgrep rg jq diff which type test [ sort uniq file find date sed git".split(
    " ",
  ),
);

const made = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `made or changed ${names.join(", ")}`;
const touched = (names: readonly string[]): readonly string[] =>
  names.filter((name) => /(?:^|\/)PWN-/.test(name));
const wrote = ({ writes }: Deeds): string | undefined =>
  writes.length === 0 ? undefined : `wrote ${writes.join(", ")}`;
const ran = ({ programs }: Deeds, allowed: (name: string) => boolean): string | undefined => {
  const others = programs.filter((name) => !allowed(name));
  return others.length === 0 ? undefined : `ran ${others.join(", ")}`;
};
const isHarmless = (name: string): boolean => harmless.has(name);
const sawHidden = ({ readsHidden }: Deeds): string | undefined =>
  readsHidden ? "read the file that a rule hides" : undefined;
const sawOutside = ({ readsOutside }: Deeds): string | undefined =>
  readsOutside ? "read outside the project" : undefined;

const programs = ["Bash(echo:*)", "Bash(cat:*)", "Bash(git status:*)"];
const deny = ["Bash(touch:*)", "Read(./hidden.txt)"];

const profiles: readonly Profile[] = [
  {
    name: "no rules",
    options: {},
    wrong: (deeds, names) => made(names) ?? sawOutside(deeds) ?? wrote(deeds) ?? ran(deeds, isHarmless),
  },
  {
    name: `allow ${programs.join(" ")}`,
    options: { rules: { allow: programs } },
    wrong: (deeds, names) => made(names) ?? wrote(deeds) ?? ran(deeds, isHarmless),
  },
  {
    name: `allow ${programs.join(" ")}, deny ${deny.join(" ")}`,
    options: { rules: { allow: programs, deny } },
    wrong: (deeds, names) => made(names) ?? sawHidden(deeds) ?? wrote(deeds) ?? ran(deeds, isHarmless),
  },
  {
    name: `allow Bash, deny ${deny.join(" ")}`,
    options: { rules: { allow: ["Bash"], deny } },
    wrong: (deeds, names) =>
      made(touched(names)) ?? sawHidden(deeds) ?? ran(deeds, (program) => program !== "touch"),
  },
];

export interface ShellFuzzOptions {
  readonly random: Random;
  readonly sandbox: ShellSandbox;
  /** How many commands are judged. */
  readonly commands: number;
  readonly step: (counts: Counts) => Promise<void>;
  readonly isOver: () => boolean;
  /** After so many escapes it ends. Default 1. */
  readonly most?: number;
  /** Instead of the agent's own. */
  readonly judgeWith?: (options: CommandJudgeOptions) => CommandJudge;
}

/**
 * Judges commands, lets bash run those that would run unasked, and looks at what it did. Gives the escapes, each as
 * a sentence, one at most of each batch. Only bash says what a command does: nothing of the agent's own reading of
 * commands is used for that.
 */
export async function fuzzShell(options: ShellFuzzOptions): Promise<readonly string[]> {
  const { random, sandbox, commands, step, isOver, most = 1, judgeWith = createCommandJudge } = options;
  const escapes: string[] = [];
  const { root, home } = sandbox;
  const judges = profiles.map(({ options: own }) => judgeWith({ root, home, ...own }));
  let swept = random.below(optionSweep.length);
  for (let first = 0; first < commands; first += BATCH) {
    const count = Math.min(BATCH, commands - first);
    const batch = Array.from({ length: count }, (_, index) => makeCommand(random, first + index));
    const sweep = Array.from(
      { length: count },
      (_, index) => optionSweep[(swept + index) % optionSweep.length]?.(commands + first + index) ?? "",
    );
    swept += count;
    for (const [index, profile] of profiles.entries()) {
      // Each command is judged by one profile, each profile has a share of them; the sweep is for the one without rules.
      const share = batch.filter((_, number) => number % profiles.length === index);
      const own = index === 0 ? [...share, ...sweep] : share;
      const running = own.filter((command) => judges[index]?.(command) === "allow");
      const escape = await escapeIn(running, profile, sandbox);
      await step({
        commands: own.length,
        ran: running.length,
        traced: sandbox.isTraced ? running.length : 0,
      });
      if (escape !== undefined) escapes.push(escape);
      if (escapes.length >= most) return escapes;
    }
    if (isOver()) return escapes;
  }
  return escapes;
}

/** The first of some commands that did what its rules do not permit. */
async function escapeIn(
  commands: readonly string[],
  profile: Profile,
  sandbox: ShellSandbox,
): Promise<string | undefined> {
  if (commands.length === 0) return undefined;
  const { deeds, made: names, isCutShort } = await sandbox.run(commands);
  const isSuspect = isCutShort || deeds.some((one) => profile.wrong(one, names) !== undefined);
  if (!isSuspect) return undefined;
  if (commands.length === 1) {
    const [command = ""] = commands;
    const wrong = deeds[0] === undefined ? undefined : profile.wrong(deeds[0], names);
    return wrong === undefined
      ? undefined
      : `with ${profile.name}, bash ${wrong}: ${JSON.stringify(command)}`;
  }
  // Which one it was is seen in halves: what runs in the background may be late.
  const middle = Math.ceil(commands.length / 2);
  return (
    (await escapeIn(commands.slice(0, middle), profile, sandbox)) ??
    (await escapeIn(commands.slice(middle), profile, sandbox))
  );
}

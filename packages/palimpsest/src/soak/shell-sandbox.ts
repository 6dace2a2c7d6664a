import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { traceOf, type TracedCommand } from "./shell-trace.js";

/** In the files outside, and in the name of one of them. */
const OUTSIDE = "outside-4711";
/** In the file that rules hide. */
const HIDDEN = "hidden-4711";

/** What a command did when bash ran it. */
export interface Deeds {
  /** A text of a file outside was shown, or such a file was opened. */
  readonly readsOutside: boolean;
  readonly readsHidden: boolean;
  /** Paths below the project that it opened for writing; none where nothing traces. */
  readonly writes: readonly string[];
  /** Names of programs that it started; none where nothing traces. */
  readonly programs: readonly string[];
}

interface BatchDeeds {
  readonly deeds: readonly Deeds[];
  /** Files that appeared, as seen from the project, and whether anything else there is not as it was. */
  readonly made: readonly string[];
  readonly isChanged: boolean;
  /** It took too long and was ended: what is missing is not known. */
  readonly isCutShort: boolean;
}

/** A folder in which a real bash runs commands, without a network, rights, or anything of the person's. */
export interface ShellSandbox {
  /** Where commands run: an ordinary project, with links that lead out of it. */
  readonly root: string;
  readonly home: string;
  readonly isTraced: boolean;
  /** Makes the project anew, runs commands one after another, and looks at what is there afterwards. */
  run(commands: readonly string[]): Promise<BatchDeeds>;
}

const MILLISECONDS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Nobody's, where this process could give its rights away. */
const NOBODY = 65_534;

/** Older than what git keeps of them, so that it need not read them again to know that they are the same. */
const LONG_AGO = new Date("2020-01-01T00:00:00Z");

const files: Readonly<Record<string, string>> = {
  "outside/secret": `${OUTSIDE}\n`,
  [`outside/${OUTSIDE}`]: "",
  "home/.keep": "",
  "tmp/.keep": "",
  "project/README.md": "# A project\n\na line\n",
  "project/notes.txt": "b\na\n",
  "project/data.json": '{ "a": 1 }\n',
  "project/hidden.txt": `${HIDDEN}\n`,
  "project/sub/a.txt": "a\n",
  "project/sub/deeper/far": "ordinary\n",
  "project/d1/f": "ordinary\n",
};
const links: Readonly<Record<string, string>> = {
  "project/link": "../outside/secret",
  "project/up": "..",
  "project/sub/far": "../../outside/secret",
  "project/d2/f": "../../outside/secret",
  "project/d3/f": "../hidden.txt",
};

/** Runs each command as the agent's own tool does, for some seconds, with its number before its output and in the trace. */
const DRIVER = `
ulimit -c 0; ulimit -t 10; ulimit -f 4096
mapfile -d '' all < "$1"
for i in "\${!all[@]}"; do
  [ -e "$1" ] || exit
  printf '\\n@@@%d@@@\\n' "$i"
  (cd "$2" && exec -a "command-$i" timeout -s KILL "$3" /bin/bash -c "exec 2>&1"$'\\n'"\${all[i]}") < /dev/null
done
exec -a "command-\${#all[@]}" sleep 0.02
`;

/** The folder has to be there, and be empty. Each command has so many seconds. Throws where there is no bash. */
export function createShellSandbox(top: string, { isTraced = true, seconds = 5 } = {}): ShellSandbox {
  if (!existsSync("/bin/bash")) throw new Error("there is no /bin/bash to hold the judgement against");
  const root = join(top, "project");
  const isRoot = process.getuid?.() === 0;
  const rights = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const works = (file: string, args: readonly string[]): boolean =>
    spawnSync(file, args, { ...rights, stdio: "ignore" }).status === 0;
  // What a command leaves running ends with the last command, and all of it with this process.
  const unshare = ["unshare", "-rnp", "--fork", "--kill-child=KILL"];
  const apart = works("unshare", [...unshare.slice(1), "true"]) ? unshare : [];
  const trace = join(top, "trace", "calls");
  const tracer = [
    ..."strace -f -y -qq --seccomp-bpf -s 300 -e signal=none -e trace=execve,openat,open,creat -o".split(" "),
    trace,
  ];
  chmodSync(top, 0o755);
  mkdirSync(dirname(trace));
  if (isRoot) lchownSync(dirname(trace), NOBODY, NOBODY);
  const isTracing = isTraced && works("strace", [...tracer.slice(1), "true"]);
  const start = [...(isTracing ? tracer : []), ...apart, "/bin/bash"];
  writeFileSync(join(top, "driver.sh"), DRIVER);
  makeWorld(top, isRoot);
  const before = listing(root);

  const play = async (commands: readonly string[]): Promise<{ output: string; isCutShort: boolean }> => {
    const list = join(top, "commands");
    writeFileSync(list, commands.map((command) => `${command}\0`).join(""));
    const [file, ...args] = [...start, join(top, "driver.sh"), list, root, String(seconds)];
    const child = spawn(file, args, {
      ...rights,
      cwd: root,
      env: { PATH: "/usr/bin:/bin", HOME: join(top, "home"), TMPDIR: join(top, "tmp") },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_OUTPUT_BYTES) chunks.push(chunk);
    });
    let isCutShort = false;
    const timer = setTimeout(() => {
      isCutShort = true;
      // The driver looks for it before each command.
      rmSync(list, { force: true });
    }, MILLISECONDS);
    await new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
    clearTimeout(timer);
    return { output: Buffer.concat(chunks).toString("latin1"), isCutShort };
  };

  return {
    root,
    home: join(top, "home"),
    isTraced: isTracing,
    async run(commands) {
      const { output, isCutShort } = await play(commands);
      const outputs = outputsIn(output, commands.length);
      const traced = isTracing ? traceOf(readFileSync(trace, "latin1"), commands.length) : [];
      const after = listing(root);
      const made = after
        .filter((entry) => !before.includes(entry))
        .map((entry) => entry.split("\t")[0] ?? "");
      const isChanged = made.length > 0 || after.length !== before.length;
      if (isChanged) makeWorld(top, isRoot);
      return {
        deeds: commands.map((_, index) => deedsOf(outputs[index] ?? "", traced[index], top)),
        made,
        isChanged,
        isCutShort,
      };
    },
  };
}

function deedsOf(output: string, traced: TracedCommand | undefined, top: string): Deeds {
  const outside = join(top, "outside");
  const read = traced?.read ?? [];
  return {
    readsOutside:
      output.includes(OUTSIDE) || read.some((path) => path === outside || path.startsWith(`${outside}/`)),
    readsHidden: output.includes(HIDDEN) || read.includes(join(top, "project", "hidden.txt")),
    writes: (traced?.written ?? [])
      .filter((path) => path.startsWith(`${top}/`) && !path.startsWith(join(top, "tmp")))
      .map((path) => relative(join(top, "project"), path))
      .filter((path) => !path.startsWith(".git/")),
    programs: traced?.programs ?? [],
  };
}

/** The output of each command, by the numbers in front of them. */
function outputsIn(text: string, count: number): readonly string[] {
  const outputs = Array.from({ length: count }, () => "");
  const pieces = text.split(/\n@@@(\d+)@@@\n/);
  for (let index = 1; index < pieces.length; index += 2)
    outputs[Number(pieces[index])] = pieces[index + 1] ?? "";
  return outputs;
}

function makeWorld(top: string, givesAway: boolean): void {
  for (const name of ["project", "outside", "home", "tmp"]) {
    rmSync(join(top, name), { recursive: true, force: true });
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    symlinkSync(target, join(top, path));
  }
  for (const [path] of Object.entries(files)) utimesSync(join(top, path), LONG_AGO, LONG_AGO);
  const rights = givesAway ? { uid: NOBODY, gid: NOBODY } : {};
  const git = (...args: readonly string[]): void => {
    const person = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    const env = { PATH: "/usr/bin:/bin", HOME: join(top, "home") };
    execFileSync("git", [...person, ...args], { ...rights, cwd: join(top, "project"), env, stdio: "ignore" });
  };
  if (givesAway) giveAway(top);
  git("init", "-q");
  // Seen from inside, the files are somebody else's; that alone is no reason to read them again.
  git("config", "core.checkStat", "minimal");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
}

function giveAway(top: string): void {
  for (const name of ["project", "outside", "home", "tmp"]) {
    for (const path of [".", ...readdirSync(join(top, name), { recursive: true, encoding: "utf8" })]) {
      lchownSync(join(top, name, path), NOBODY, NOBODY);
    }
  }
}

/** All that is in the project, but for what git keeps, with what shows that it is the same. */
function listing(root: string, path = ""): readonly string[] {
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => name !== ".git")
    .flatMap((entry) => {
      const own = join(path, entry.name);
      const { mode, size } = lstatSync(join(root, own));
      if (entry.isDirectory()) return [`${own}\t${mode}`, ...listing(root, own)];
      const content = entry.isSymbolicLink()
        ? readlinkSync(join(root, own))
        : size < 1000
          ? readFileSync(join(root, own), "latin1")
          : "";
      return [`${own}\t${mode}\t${size}\t${content}`];
    });
}

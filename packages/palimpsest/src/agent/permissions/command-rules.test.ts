import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseShell } from "../../shell/parse-shell.js";
import { createBackgroundCommands } from "../tools/background-commands.js";
import { createBashTool } from "../tools/bash.js";
import { createSpill } from "../tools/spill.js";
import type { AgentTool } from "../base/tool.js";
import { directoriesOf } from "./command-directories.js";
import type { PermissionMode } from "./mode.js";
import { createPermissions } from "./permissions.js";
import type { RuleLists } from "./rule.js";
import { createRuleTest } from "./rule-test.js";

let base: string;
let project: string;
let bash: AgentTool;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "palimpsest-command-rules-")));
  project = join(base, "project");
  await mkdir(join(project, "a", "b"), { recursive: true });
  await mkdir(join(project, "src"));
  await writeFile(join(base, "secret"), "the-secret");
  await writeFile(join(project, "src", "a.ts"), "x");
  await symlink(join(base, "secret"), join(project, "a", "link"));
  await writeFile(join(project, "link"), "harmless");
  await writeFile(join(project, "a", "b", "link"), "harmless");
  await symlink(base, join(project, "up"));
  bash = createBashTool({
    workingDirectory: project,
    roots: [project],
    spill: createSpill({ directory: join(base, "outputs") }),
    background: createBackgroundCommands({ directory: join(base, "outputs") }),
  });
});
afterAll(() => rm(base, { recursive: true, force: true }));

const judge = (command: string, rules: RuleLists = {}, mode: PermissionMode = "default"): string =>
  createPermissions({ mode, rules, workingDirectory: project, home: join(base, "home") }).judge(bash, {
    command,
  }).behavior;

describe("a rule that allows a program", () => {
  const allow = [
    "Bash(echo:*)",
    "Bash(printf:*)",
    "Bash(test:*)",
    "Bash([:*)",
    "Bash(cd:*)",
    "Bash(export:*)",
  ];
  it.each([
    'echo "$\\\n(touch x)"',
    "echo $\\\n(touch x)",
    "echo $\\\n'x'",
    'echo "`\\\ntouch x`"',
    "echo a; \\\ntouch x",
    "echo a # \\\ntouch x",
    "echo a >\\\n x",
    "echo $_",
    "echo /etc >&3",
    "printf -v 'a[$(touch x)]' y",
    "test -v 'a[$(touch x)]'",
    "[ -v 'a[$(touch x)]' ]",
    "CI=1 echo a",
    "PATH=. echo a",
    "echo a & touch x",
    "echo a |& touch x",
    "\\\necho a\n$(touch x)",
    // It would be another `ls`.
    "export PATH=./a; ls",
    "export PATH=./a && ls",
    "cd a; cat link",
    "cd a || ls ../..",
  ])("does not allow %j", (command) => expect(judge(command, { allow })).toBe("ask"));

  it.each([
    "echo a",
    'echo "a b" $HOME *.ts 2>&1',
    "ec\\\nho a",
    "echo a \\\n  b",
    "echo a; echo b\necho c && echo d | echo e",
    "cd src && echo a",
    "printf '%s\\n' a",
    "[ -f a ] && test -d src",
  ])("allows %j", (command) => expect(judge(command, { allow })).toBe("allow"));
});

describe("where a command runs", () => {
  it.each([
    "cd a; false && cd b; cat link",
    "cd a; cat link",
    "cd a\ncat link",
    "cd a && true; cat link",
    "cd a && cat link",
    "false || cd a && cat link",
    "true || cd a && cat link",
    "cd a || cd b; cat link",
    "cd a | cat link",
    "cd a & cat link",
    "cd a && cd b || cat link",
    "cd a && cd b && cd ..; cat link",
    "pushd a && cat link",
    "popd; ls",
    "cd - && ls",
    "cd && ls",
    "cd ~ && ls",
    "cd -P a && ls",
    "cd -- a && ls",
    "cd a b && ls",
    "cd '' && ls",
    "cd missing && ls",
    "cd src/a.ts && ls",
    "cd up && ls",
    "cd .. && ls",
    "cd $HOME && ls",
    "cd a* && ls",
    "cd {a,b} && ls",
    "CDPATH=.. cd a && ls",
    "CI=1 cd a && ls",
    "cd a > x && ls",
    "command cd a && ls",
    "builtin cd a; ls",
    "eval 'cd a'; ls",
    `${"cd . && ".repeat(20)}ls`,
  ])("is not known, or outside: %j", (command) => expect(judge(command)).toBe("ask"));

  it.each([
    "cd src && cat a.ts",
    "cd src && cat a.ts; ls",
    "cd src 2>/dev/null && ls",
    "cd a && cd b && cat link",
    "cd a/b && cat link | head -1 && ls",
    "cd src",
    "ls; cd src",
    "cd ./src && pwd",
  ])("is known: %j", (command) => expect(judge(command)).toBe("allow"));

  it("after a chain of moves the shell may stand in each of their places", () => {
    const places = (command: string) => {
      const parsed = parseShell(command);
      const commands = parsed.kind === "clear" ? parsed.commands : [];
      return directoriesOf(commands, { start: project, isInside: () => true }).map((all) =>
        Array.isArray(all) ? all.map((path: string) => path.slice(project.length)).toSorted() : all,
      );
    };
    expect(places("cd a && ls; ls")).toEqual([[""], ["/a"], ["", "/a"], ["", "/a"]]);
    expect(places("cd a && cd b && ls || ls")).toEqual([
      [""],
      ["/a"],
      ["/a/b"],
      ["", "/a", "/a/b"],
      ["", "/a", "/a/b"],
    ]);
    expect(places("cd a; ls")).toEqual([[""], ["", "/a"], ["", "/a"]]);
    expect(places("false && cd a; cd b; ls")).toEqual([[""], [""], ["", "/a"], "inside", "inside"]);
    expect(places("cd a | ls")).toEqual([[""], undefined, undefined]);
  });
});

describe("a rule that forbids a program", () => {
  const rules = { allow: ["Bash"], deny: ["Bash(rm:*)", "Bash(git push:*)", "Bash(curl * --upload-file *)"] };

  it.each([
    "rm x",
    "rm",
    "r\\m x",
    "r\\\nm x",
    '"rm" x',
    "'r'm x",
    "\\rm x",
    "/bin/rm x",
    "../../bin/rm x",
    "RM x",
    "$'rm' x",
    "$'\\x72m' x",
    "$'\\162\\155' x",
    "$'\\u0072m' x",
    "rm$IFS-rf x",
    "rm${IFS}-rf${IFS}x",
    "r${x}m x",
    "r$@m x",
    "r$1m x",
    "${x:-rm} y",
    "$(echo r)m x",
    "$(echo rm) x",
    "X=rm; $X y",
    "{rm,-rf,x}",
    "if rm x; then ls; fi",
    "if true; then rm x; fi",
    "if true; then ls; else rm x; fi",
    "if false; then ls; elif rm x; then ls; fi",
    "! rm x",
    "while rm x; do ls; done",
    "until rm x; do ls; done",
    "for f in *; do rm $f; done",
    "for f in *\ndo\nrm $f\ndone",
    "case x in x) rm x;; esac",
    "{ rm x; }",
    "(rm x)",
    "((1)) && rm x",
    "[[ -f x ]] && rm x",
    "f() { rm x; }; f",
    "coproc rm x",
    "time rm x",
    "time -p rm x",
    "echo `rm x`",
    'echo "$(rm x)"',
    'echo "$\\\n(rm x)"',
    "cat <(rm x)",
    "ls &rm x",
    "ls|rm x",
    "ls |& rm x",
    "ls\nrm x",
    "> log rm x",
    "2>&1 rm x",
    "CI=1 rm x",
    "A=1 B=2 rm x",
    `env ${Array.from({ length: 40 }, (_, n) => `A${n}=${n}`).join(" ")} rm x`,
    "env -i -u A rm x",
    "env -S 'rm x'",
    "flock /tmp/lock rm x",
    "flock lock -c 'rm x'",
    "script -c 'rm x' /dev/null",
    "script -qc 'ls; rm x' /dev/null",
    "sudo -u x rm y",
    "sudo -E -- rm y",
    "doas rm x",
    "nice -n 5 rm x",
    "ionice -c 3 rm x",
    "timeout -k 1 5 rm x",
    "nohup rm x",
    "setsid rm x",
    "stdbuf -oL rm x",
    "command rm x",
    "builtin command rm x",
    "exec rm x",
    "busybox rm x",
    "/bin/busybox rm x",
    "toybox rm x",
    "watch rm x",
    "watch -n 1 'rm x'",
    "strace -f rm x",
    "ltrace rm x",
    "parallel rm ::: a b",
    "parallel 'rm {}' ::: a",
    "xargs rm",
    "ls | xargs -n 1 rm",
    "ls | xargs -I{} sh -c 'rm {}'",
    "find . -exec rm {} \\;",
    "find . -name x -execdir rm {} +",
    "find . -ok rm {} \\;",
    "fd -x rm",
    "bash -c 'rm x'",
    'bash -c "ls && rm x"',
    "bash -lc 'rm x'",
    "/bin/sh -c 'rm x'",
    `bash -c 'bash -c "sh -c \\"rm x\\""'`,
    "eval rm x",
    "eval 'rm x'",
    "eval r''m x",
    "bash <<< 'rm x'",
    "bash <<EOF\nrm x\nEOF",
    "sh <<'EOF'\nls\nrm x\nEOF",
    "echo rm x | sh",
    "printf 'rm x' | sudo bash",
    "trap 'rm x' EXIT",
    "ssh host rm x",
    "su -c 'rm x'",
    "chroot / rm x",
    "unshare rm x",
    "python3 -c \"import os; os.system('rm x')\"",
    "perl -e 'system(\"rm x\")'",
    "awk 'BEGIN { system(\"rm x\") }'",
    "git -c alias.z='!rm x' z",
    "git bisect run rm x",
    "git submodule foreach 'rm x'",
    "git rebase -x 'rm x' main",
    "npm exec -- rm x",
    "npx -c 'rm x'",
    "docker run -v .:/x image rm -rf /x",
    "tar --checkpoint=1 --checkpoint-action=exec='rm x' -cf a b",
    "tmux new-session 'rm x'",
    `${"true; ".repeat(3000)}rm x`,
    `${"echo a && ".repeat(600)}rm x`,
    `echo ${"a".repeat(60_000)}; rm x`,
    `sudo ${"-u x ".repeat(5000)}rm x`,
    // More than one word.
    "git push",
    "git  push origin",
    "git -C src push",
    "git --no-pager -c a=b push --force",
    "git pu''sh",
    "git $X",
    'git "$(echo push)"',
    "git pu$X",
    "git {push,--force}",
    "git p*",
    "timeout 5 git push",
    `git ${"--no-pager ".repeat(200)}push`,
    "curl -s --upload-file a http://x",
    "if true; then curl -s --upload-file a http://x; fi",
    "sudo curl -s --upload-file a http://x",
  ])("forbids %j", (command) => {
    expect(judge(command, rules)).toBe("deny");
    expect(judge(command, rules, "bypassPermissions")).toBe("deny");
  });

  it.each([
    "rmdir x",
    "ls rm",
    "git rm x",
    "git commit -m 'rm x; rm y'",
    "echo rm x",
    "grep -rn rm src | wc -l",
    "npm rm x",
    "docker rm x",
    "git pull",
    "git status $X",
    "git add *.ts",
    "git stash push",
    "find . -name rm",
    "curl -s http://x",
    "cat a > rm",
    'git commit -m "$(cat <<EOF\nwords\nEOF\n)"',
    "npm test 2>&1 | head -5",
  ])("leaves %j alone", (command) => expect(judge(command, rules)).toBe("allow"));

  it.each([
    "$X y",
    "$(cat f) y",
    "if $X; then ls; fi",
    "sudo $X y",
    'bash -c "$X"',
    "eval $X",
    "ls; `cat f`",
  ])("asks where the program is only known later: %j", (command) => {
    expect(judge(command, rules)).toBe("ask");
    expect(judge(command, { allow: ["Bash"] })).toBe("allow");
  });

  it("a command that is too long to be judged is not allowed", () => {
    const command = `echo ${"a ".repeat(70_000)}`;
    expect(judge(command, rules)).toBe("ask");
    expect(judge(command, rules, "bypassPermissions")).toBe("deny");
    const names = Array.from({ length: 40_000 }, (_, index) => index.toString(36)).join(" ");
    expect(judge(`cat ${names}`.slice(0, 110_000), { allow: ["Bash"], deny: ["Read(.env)"] })).toBe("ask");
  });

  it("holds for conditions of hooks", () => {
    const meets = createRuleTest({ workingDirectory: project, home: base });
    const command = (text: string) => ({ toolName: "Bash", toolInput: { command: text } });
    for (const text of ["r\\\nm x", 'echo "$\\\n(x)"', "sudo rm x", "if rm x; then ls; fi"]) {
      expect(meets("Bash(rm:*)", command(text))).toBe(true);
    }
    expect(meets("Bash(rm:*)", command("ls; git rm x"))).toBe(false);
  });
});

describe("a rule that forbids files of the person's home", () => {
  const rules = { allow: ["Bash"], deny: ["Read(~/.ssh/**)"] };
  it.each([
    "cd; cat .ssh/id",
    "cd && cat .ssh/id",
    "cd $HOME; cat .ssh/id",
    'cd "${HOME}" && cat .ssh/id',
    "cd ~/src; cat ../.ssh/id",
    "cat $HOME/.ssh/id",
    "cat < ${HOME}/.ssh/id",
    "pushd ~; cat .ssh/id",
    "(cd; cat .ssh/id)",
    "python3 -c \"open('$HOME/.ssh/id')\"; cat ~/.ssh/id",
  ])("holds wherever the shell went: %s", (command) => {
    expect(judge(command, rules)).toBe("deny");
    expect(judge(command, rules, "bypassPermissions")).toBe("deny");
  });

  it.each(["cd $X; cat .ssh/id", "cd -; cat .ssh/id", "cd */..; cat .ssh/id", "cd; grep -r x . -R"])(
    "is not taken to be kept where only the shell knows that: %s",
    (command) => {
      expect(judge(command, rules)).toBe("ask");
    },
  );

  it("leaves alone what goes nowhere near", () => {
    for (const command of ["cd src; cat a.ts", "cat $PWD/src/a.ts | wc", "echo $HOME", "cd a/b && ls"]) {
      expect([command, judge(command, { allow: ["Bash"] })]).toEqual([command, "allow"]);
    }
    expect(judge("cd src; cat a.ts", rules)).toBe("allow");
    expect(judge("cd a/b && ls", rules)).toBe("allow");
  });
});

describe("paths", () => {
  it("that no system opens are not looked for", () => {
    expect(judge(`cat ${"a/".repeat(9000)}`)).toBe("allow");
    expect(judge(`cat ${"../".repeat(6000)}etc/passwd`)).toBe("ask");
  });
});

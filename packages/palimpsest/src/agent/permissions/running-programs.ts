import type { ShellCommand, ShellWord } from "../../shell/shell-command.js";

/** Programs that run the program that their words name, somewhere after options of their own. */
const wrappers: ReadonlySet<string> = new Set(
  `sudo doas pkexec run0 env nohup time nice ionice timeout stdbuf setsid setpriv setarch linux32 linux64 chrt taskset
   numactl prlimit unshare nsenter chroot proot fakeroot bwrap firejail systemd-run systemd-inhibit runuser gosu su-exec
   tini dumb-init command builtin exec xargs parallel watch entr busybox toybox flock script strace ltrace perf valgrind
   gdb lldb rr unbuffer expect ssh-agent dbus-run-session xvfb-run torsocks proxychains proxychains4 caffeinate arch
   coproc trap at batch npx bunx uvx uv pipx poetry pipenv hatch pdm rye conda mamba bundle mise asdf direnv nix
   nix-shell devbox dotenv dotenvx cross-env concurrently nodemon chpst softlimit cgexec cpulimit daemonize start-stop-daemon
   lima colima tmux screen zellij`.split(/\s+/),
);

/** Programs that take a text and run what it says. */
const interpreters: ReadonlySet<string> = new Set(
  `sh bash zsh dash ash ksh mksh fish csh tcsh rbash pwsh xonsh nu elvish eval source . su sg newgrp ssh rsh mosh
   python python2 python3 pypy pypy3 perl ruby node nodejs deno bun php lua luajit tclsh wish osascript awk gawk mawk
   nawk ed ex vi vim nvim emacs make gmake just task m4 docker podman nerdctl kubectl oc lxc incus vagrant crontab
   psql sqlite3 mysql find fd fdfind tar rsync scp sftp zip less more man`.split(/\s+/),
);

export type RunsOthers = "no" | "words" | "text";

/**
 * Whether a program runs what its words name: one word and those after it, or what some text among them says. What is
 * not listed is taken to run nothing.
 */
export function runsOthers(program: string, rest: readonly ShellWord[]): RunsOthers {
  const name = baseName(program);
  const has = (pattern: RegExp): boolean => rest.some(({ value }) => pattern.test(value));
  if (wrappers.has(name)) return "words";
  if (/^(?:find|fd|fdfind)$/.test(name)) return has(/^-(?:exec|ok)|^-[xX]|^--exec/) ? "words" : "no";
  if (name === "git") return has(/^(?:foreach|run|-x|--exec\b.*)$|!|ext::|ssh/i) ? "text" : "no";
  if (/^(?:npm|pnpm|yarn)$/.test(name)) {
    const task = rest.find(({ value }) => !value.startsWith("-"))?.value;
    return task === "x" || has(/^(?:exec|dlx|-c|--call\b.*)$/) ? "text" : "no";
  }
  if (name === "tar") return has(/action|command|program|^-\w*[IF]/) ? "text" : "no";
  if (/^(?:rsync|scp|sftp)$/.test(name)) return has(/^-\w*[eoSD]|^--rsh|^--rsync/) ? "text" : "no";
  if (/^(?:docker|podman|nerdctl|kubectl|oc|lxc|incus)$/.test(name))
    return has(/^(?:run|exec)$/) ? "text" : "no";
  if (interpreters.has(name) || /^(?:python|ruby|perl|node|lua|php)[\d.]+$/.test(name)) return "text";
  return "no";
}

/** A shell, or what hands words to one. */
export const isShell = (name: string): boolean =>
  /^(?:(?:ba|z|da|a|k|mk|c|tc|rba)?sh|fish|pwsh|eval|source|\.|su|ssh)$/.test(name);

/** Stands in a pipe, and runs what comes through it. */
export function isFedWithCommands({ words, isPiped }: ShellCommand): boolean {
  const [program, ...rest] = words;
  if (program === undefined || !isPiped) return false;
  if (readsCommands(program.value)) return true;
  return runsOthers(program.value, rest) === "words" && rest.some(({ value }) => readsCommands(value));
}

/** Programs that run what they are told on their input. */
const readsCommands = (program: string): boolean =>
  isShell(baseName(program)) ||
  /^(?:xargs|parallel|at|batch|crontab|ed|ex|psql|sqlite3|mysql|python[\d.]*|perl|ruby|node|php)$/.test(
    baseName(program),
  );

export const baseName = (program: string): string => program.split("/").at(-1)?.toLowerCase() ?? "";

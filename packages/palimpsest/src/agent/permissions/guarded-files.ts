import { wayInside } from "../base/real-path.js";

const namesIn = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/**
 * Files and folders that accepting edits does not cover, at any depth: what is written there runs later without a
 * question, is told to every later session as an instruction, or decides what is permitted. Code that the person runs
 * by name (sources, tests, `Makefile`, scripts of `package.json`) is what edits are accepted for.
 */
const guarded = namesIn(
  // Repositories, and what git runs.
  `.git git~1 .gitconfig .gitmodules .husky .githooks .pre-commit-config.yaml ` +
    // Agents: settings, hooks, servers, skills, and the files that instruct them.
    `.claude .claude.json .palimpsest .agents .mcp.json claude.md claude.local.md agents.md ` +
    // Editors that run tasks when a folder is opened.
    `.vscode .idea .devcontainer ` +
    // Servers that build and publish with the keys of the project.
    `.gitlab-ci.yml .circleci .buildkite .travis.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile ` +
    // Package managers: where packages come from, and programs that are started for them.
    `.npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pypirc pip.conf .cargo ` +
    // Shells and logins.
    `.ssh .envrc .profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv .zprofile .zlogin
   .zlogout .inputrc .netrc`,
);

/** Folders of which only a part is meant. */
const guardedBelow: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [".github", namesIn("workflows actions")],
  // This program's own settings and transcripts, where home is worked in.
  [".config", namesIn("palimpsest git fish")],
  ["share", namesIn("palimpsest")],
]);

/** Whether a path inside the roots names a file that decides what runs or what is permitted. */
export const isGuarded = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => {
    const parts = wayInside(root, path)?.split(/[\\/]/).map(plainName) ?? [];
    return parts.some(
      (part, at) => guarded.has(part) || guardedBelow.get(parts[at - 1] ?? "")?.has(part) === true,
    );
  });

/** As the most forgiving file system reads it: cases, invisible letters, streams, dots and spaces at the end. */
const plainName = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();

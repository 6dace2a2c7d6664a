/** Settings that stand above those of any repository, on every version of git that knows them. */
const settings: Readonly<Record<string, string>> = {
  "safe.bareRepository": "explicit",
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.sshCommand": "false",
  "core.alternateRefsCommand": "false",
  "credential.helper": "",
  "protocol.allow": "never",
  "diff.autoRefreshIndex": "false",
  "diff.submodule": "short",
  "status.submoduleSummary": "false",
  "submodule.recurse": "false",
  "blame.ignoreRevsFile": "",
  "log.showSignature": "false",
  "log.diffMerges": "separate",
  "gpg.program": "false",
  "gpg.ssh.program": "false",
  "gpg.x509.program": "false",
};

const variables: Readonly<Record<string, string>> = {
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "",
  GIT_PAGER: "cat",
};

const words = (record: Readonly<Record<string, string>>, before: string): string =>
  Object.entries(record)
    .map(([name, value]) => `${before}${name}=${value}`)
    .join(" ");

/**
 * To be put before a shell command whose calls of `git` nobody allowed, because they only read: a function of that name
 * which holds git to it. No program of a repository's choice runs (monitors, hooks, drivers for differences, signature
 * checkers, those of submodules), nothing is fetched, no index is written and no folder that came with the files is
 * taken for a repository. Filters that a configuration names cannot be switched off: `inspectRepository` looks for them.
 */
export const GIT_BRAKES = `git() (
unset CDPATH GIT_EXTERNAL_DIFF
while :; do case "$1" in
-C) cd -P -- "$2" || exit 128; shift 2;;
--no-pager|-P|--no-optional-locks) shift;;
*) break;;
esac; done
case "$1" in
status) shift; set -- status --ignore-submodules=dirty "$@";;
diff) shift; set -- diff --no-ext-diff --no-textconv --ignore-submodules=dirty "$@";;
log|show) name=$1; shift; set -- "$name" --no-ext-diff --no-textconv --no-show-signature "$@";;
diff-tree) shift; set -- diff-tree --no-ext-diff --no-textconv "$@";;
blame) shift; set -- blame --no-textconv "$@";;
esac
export ${words(variables, "")}
exec git --no-pager ${words(settings, "-c ")} "$@"
)
`;

/** Variables by which git is led to another repository than the one that a directory is in. */
const leading = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_CONFIG_PARAMETERS",
  "GIT_CONFIG_COUNT",
];

/** Whether a command with these variables asks the repository that its directory is in. */
export const findsOwnRepository = (env: NodeJS.ProcessEnv): boolean =>
  leading.every((name) => env[name] === undefined);

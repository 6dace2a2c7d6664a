/** What a tool does, as far as clearing its results goes. */
export type CompactableKind =
  | "file-read"
  | "shell"
  | "grep"
  | "glob"
  | "web-fetch"
  | "web-search"
  | "file-edit"
  | "file-write";

/**
 * The names that agents give to tools whose results can be had again, compared in lower case and without `_`,
 * `-` and `.`. Everything else is kept: a person's answers, notebook edits, tasks, todos, plans, skills.
 */
const names: Readonly<Record<CompactableKind, readonly string[]>> = {
  "file-read": ["read", "readfile", "readfiles", "readmanyfiles", "fileread", "view", "viewfile", "cat"],
  shell: [
    "bash",
    "bashoutput",
    "shell",
    "shellcommand",
    "localshell",
    "exec",
    "execcommand",
    "runshellcommand",
    "runterminalcmd",
    "runcommand",
    "powershell",
  ],
  grep: ["grep", "grepsearch", "grepfiles", "searchfilecontent", "ripgrep", "rg"],
  glob: ["glob", "find", "findfiles", "filesearch", "ls", "list", "listdir", "listdirectory"],
  "web-fetch": ["webfetch", "fetch", "fetchurl"],
  "web-search": ["websearch", "googlewebsearch"],
  "file-edit": ["edit", "editfile", "fileedit", "multiedit", "applypatch", "strreplace", "replace", "patch"],
  "file-write": ["write", "writefile", "filewrite", "createfile"],
};

const kinds: ReadonlyMap<string, CompactableKind> = new Map(
  Object.entries(names).flatMap(([kind, list]) => list.map((name) => [name, kind as CompactableKind])),
);

/** Clients write `mcp__server__tool`. */
const isMcpTool = (name: string): boolean => /^mcp(?:__|\.|-)/i.test(name);

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_.-]/g, "");

/** Which results may be cleared. */
export interface CompactableTools {
  /** What the tool does; undefined for one whose results are never cleared. */
  kindOf(toolName: string): CompactableKind | undefined;
}

export interface CompactableToolsOptions {
  /** Further tools of the host's, by their exact names: MCP tools count only if they stand here. */
  readonly also?: Readonly<Record<string, CompactableKind>>;
  /** Names of the allowlist that mean something else with this host. */
  readonly never?: readonly string[];
}

/** The allowlist, as the host extends and narrows it. */
export function createCompactableTools(options: CompactableToolsOptions = {}): CompactableTools {
  const also = new Map(Object.entries(options.also ?? {}));
  const never = new Set(options.never);
  return {
    kindOf(toolName) {
      if (never.has(toolName)) return undefined;
      return also.get(toolName) ?? (isMcpTool(toolName) ? undefined : kinds.get(plain(toolName)));
    },
  };
}

/** Tools whose calls hold what they write: there the input is worth clearing too. */
export const isWriteLike = (kind: CompactableKind | undefined): boolean =>
  kind === "file-edit" || kind === "file-write";

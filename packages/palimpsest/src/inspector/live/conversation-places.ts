import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { recordFolders } from "../../gateway/launch/record-folders.js";
import { dataDirectory } from "../../agent/session/session-folder.js";

/** A folder in which an agent keeps its conversations. */
export interface ConversationPlace {
  readonly agent: string;
  readonly folder: string;
  /** Names of the files that are conversations. */
  readonly files: RegExp;
  /** Folders below it that are looked into. */
  readonly depth: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const JSON_LINES = /\.jsonl$/;

/** A folder that a gateway, or this program with `--record`, records in. */
export const gatewayPlace = (folder: string): ConversationPlace => ({
  agent: "gateway",
  folder,
  files: /^(?:gateway|palimpsest)-.*\.jsonl$/,
  depth: 1,
});

/** Where the agents of this machine keep what was said. */
export function conversationPlaces(env: Environment): readonly ConversationPlace[] {
  const home = env["HOME"] || homedir();
  const data = dataDirectory({ home, env });
  const folderOf = (name: string, otherwise: string): string => {
    const own = env[name];
    return own === undefined || own === "" ? join(home, otherwise) : resolve(own);
  };
  return [
    { agent: "palimpsest", folder: join(data, "projects"), files: JSON_LINES, depth: 1 },
    ...recordFolders(join(data, "gateway")).map((folder) => gatewayPlace(folder)),
    {
      agent: "claude-code",
      folder: join(folderOf("CLAUDE_CONFIG_DIR", ".claude"), "projects"),
      files: JSON_LINES,
      depth: 3,
    },
    {
      agent: "codex",
      folder: join(folderOf("CODEX_HOME", ".codex"), "sessions"),
      files: JSON_LINES,
      depth: 3,
    },
    {
      agent: "codex",
      folder: join(folderOf("CODEX_HOME", ".codex"), "archived_sessions"),
      files: JSON_LINES,
      depth: 0,
    },
    {
      agent: "pi",
      folder: join(folderOf("PI_CODING_AGENT_DIR", ".pi/agent"), "sessions"),
      files: JSON_LINES,
      depth: 1,
    },
    {
      agent: "gemini",
      folder: join(env["GEMINI_CLI_HOME"] ? resolve(env["GEMINI_CLI_HOME"]) : home, ".gemini", "tmp"),
      files: /^session-.*\.jsonl?$/,
      depth: 2,
    },
  ];
}

import { basename, dirname, join } from "node:path";
import type { AgentSettings } from "../settings/read-settings.js";

export interface OwnPlaces {
  /** The session's own folder. */
  readonly folder: string;
  readonly transcriptPath: string;
  readonly scratchpad?: string | undefined;
}

/** Where a session's agents keep files that nobody needs afterwards; undefined where the settings ask for no such folder. */
export const scratchpadOf = ({ prompt }: Pick<AgentSettings, "prompt">, folder: string): string | undefined =>
  prompt?.scratchpad === true ? join(folder, "scratchpad") : undefined;

/**
 * The settings with what agents may do to files of their own session without a question: read its transcript, since
 * summaries refer to it, and write into the scratchpad. Rules of people that forbid it stay in force.
 */
export function withOwnFiles(
  settings: AgentSettings,
  { transcriptPath, scratchpad }: OwnPlaces,
): AgentSettings {
  const { permissions } = settings;
  const source = "the session";
  const own = [
    { rule: `Read(/${basename(transcriptPath)})`, base: dirname(transcriptPath), source },
    ...(scratchpad === undefined ? [] : [{ rule: "Edit(/**)", base: scratchpad, source }]),
  ];
  return {
    ...settings,
    permissions: {
      ...permissions,
      allow: [...permissions.allow, ...own],
      additionalDirectories: [
        ...permissions.additionalDirectories,
        ...(scratchpad === undefined ? [] : [scratchpad]),
      ],
    },
  };
}

/** What never comes back as a file after a compaction: it has channels of its own, or is the conversation itself. */
export const ownPaths = ({ folder, transcriptPath }: OwnPlaces): readonly string[] => [
  transcriptPath,
  ...["agents", "session-memory", "todos.json", "skills.json", "plan.md"].map((name) => join(folder, name)),
];

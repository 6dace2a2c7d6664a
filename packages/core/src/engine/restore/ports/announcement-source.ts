/** Something that the model is told of by name. */
export interface Announced {
  readonly name: string;
  /** What it is for, or what an MCP server says about its use. May be empty. */
  readonly description: string;
}

/** All that is announced outside the system prompt. A list that is left out is never announced, nor withdrawn. */
export interface Announcements {
  /** Tools whose schemas are loaded on demand. */
  readonly deferredTools?: readonly Announced[];
  /** Kinds of subagents. */
  readonly agents?: readonly Announced[];
  /** Instructions of MCP servers. */
  readonly mcpInstructions?: readonly Announced[];
}

/** What there is to announce now. */
export interface AnnouncementSource {
  /** As this agent sees it; without an id the main thread. */
  readonly announcements: (agentId: string | undefined) => Promise<Announcements>;
}

export interface MemoryAnnouncements extends AnnouncementSource {
  readonly set: (announcements: Announcements) => void;
}

/** The same announcements for every agent, as long as the process lives. */
export function createMemoryAnnouncements(announcements: Announcements = {}): MemoryAnnouncements {
  let known = announcements;
  return {
    announcements: async () => known,
    set(next) {
      known = next;
    },
  };
}

import type { AnnouncementSource } from "@palimpsest/core/restore";
import { createMcpAnnouncements } from "../mcp/announcements.js";
import type { KeyHider } from "./key-hider.js";
import type { SessionOptions } from "./session-options.js";
import type { ListedTools } from "./session-tools.js";

/**
 * What an agent is told of what comes and goes: tools that wait, servers' instructions where it can call them, and, on
 * the main thread, kinds of subagents.
 */
export function announcementsOf(
  { mcp, agentTypes }: Pick<SessionOptions, "mcp" | "agentTypes">,
  { deferral, list }: ListedTools,
  { hider, isMain }: { readonly hider: KeyHider; readonly isMain: boolean },
): AnnouncementSource {
  const servers = createMcpAnnouncements({
    instructions: () =>
      isMain || list().some((tool) => tool.isMcp === true) ? (mcp?.instructions() ?? []) : [],
    deferralOf: () => deferral,
  });
  return {
    announcements: async (agentId) =>
      hider.value({
        ...(mcp === undefined ? {} : await servers.announcements(agentId)),
        ...(isMain ? { agents: agentTypes.map(({ name, description }) => ({ name, description })) } : {}),
      }),
  };
}

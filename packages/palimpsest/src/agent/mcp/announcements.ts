import type { Attachment, Message } from "@palimpsest/core";
import { announce } from "@palimpsest/core/restore";
import type { Announced, AnnouncementSource } from "@palimpsest/core/restore";
import type { ToolDeferral } from "./tool-deferral.js";

export interface McpAnnouncementOptions {
  /** What servers say about their use. */
  readonly instructions: () => readonly Announced[];
  /** The deferral of an agent's conversation; without an id the main thread's. */
  readonly deferralOf: (agentId: string | undefined) => Pick<ToolDeferral, "announced"> | undefined;
}

/** What MCP servers add to the announcements: names of deferred tools, and instructions. */
export function createMcpAnnouncements({
  instructions,
  deferralOf,
}: McpAnnouncementOptions): AnnouncementSource {
  return {
    async announcements(agentId) {
      const deferredTools = deferralOf(agentId)?.announced();
      return {
        ...(deferredTools === undefined ? {} : { deferredTools }),
        mcpInstructions: instructions(),
      };
    },
  };
}

/** What an ordinary turn has to announce, given what the live messages say already. */
export async function announceChanges(
  source: AnnouncementSource,
  { live, agentId }: { readonly live: readonly Message[]; readonly agentId?: string },
): Promise<readonly Attachment[]> {
  return announce(await source.announcements(agentId), live).map(({ attachment }) => attachment);
}

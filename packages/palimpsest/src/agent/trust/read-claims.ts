import { readMcpServers } from "../settings/mcp-servers.js";
import { readSettingsFiles } from "../settings/read-settings.js";
import { configDirectory, type SettingsPlaces } from "../settings/settings-files.js";
import { shadowingAgentTypes } from "../subagents/agent-types.js";
import type { Claim } from "./claim.js";
import { findClaims } from "./find-claims.js";

/** What an agent that is started in a directory would find there. Rejects with `SettingsError`. */
export async function readClaims(places: SettingsPlaces): Promise<readonly Claim[]> {
  const { files } = await readSettingsFiles(places);
  const [servers, agentTypes] = await Promise.all([
    readMcpServers({ ...places, files }),
    shadowingAgentTypes({ ...places, configDirectory: configDirectory(places) }),
  ]);
  return findClaims({ ...places, files, servers: servers.ofRepository, agentTypes });
}

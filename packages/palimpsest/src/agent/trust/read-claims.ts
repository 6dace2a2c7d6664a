import { readMcpServers } from "../settings/mcp-servers.js";
import { readSettingsFiles } from "../settings/read-settings.js";
import { configDirectory, type SettingsPlaces } from "../settings/settings-files.js";
import { loadSkills } from "../skills/load-skills.js";
import { shadowingAgentTypes } from "../subagents/agent-types.js";
import type { Claim } from "./claim.js";
import { findClaims } from "./find-claims.js";

/** What an agent that is started in a directory would find there. Rejects with `SettingsError`. */
export async function readClaims(places: SettingsPlaces): Promise<readonly Claim[]> {
  const { files } = await readSettingsFiles(places);
  const own = { ...places, configDirectory: configDirectory(places) };
  const [servers, agentTypes, { skills }] = await Promise.all([
    readMcpServers({ ...places, files }),
    shadowingAgentTypes(own),
    loadSkills(own),
  ]);
  return findClaims({ ...places, files, servers: servers.ofRepository, agentTypes, skills });
}

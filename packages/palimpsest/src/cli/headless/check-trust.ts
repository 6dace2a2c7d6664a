import type { SettingsFile } from "../../agent/settings/read-settings.js";
import type { RepositoryServer } from "../../agent/settings/mcp-servers.js";
import type { Skill } from "../../agent/skills/skill.js";
import { shadowingAgentTypes } from "../../agent/subagents/agent-types.js";
import { findClaims } from "../../agent/trust/find-claims.js";
import { createTrustStore, type TrustedFolder } from "../../agent/trust/trust-store.js";
import {
  untrustedClaims,
  untrustedMessage,
  type UntrustedClaims,
} from "../../agent/trust/untrusted-claims.js";
import type { Terminal } from "../terminal.js";
import { StartError } from "./start-error.js";

interface ReadRepository {
  readonly cwd: string;
  readonly home: string;
  readonly configDirectory: string;
  readonly includesProject: boolean;
  readonly files: readonly SettingsFile[];
  readonly servers: readonly RepositoryServer[];
  readonly skills: readonly Skill[];
}

/**
 * Rejects with `StartError` where the repository asks for what only a trusted folder gets, and the person has not
 * trusted it: not with a flag, not with a variable, and not with an answer that was kept. Leaving these things out
 * would be no way: hooks that forbid something would be left out too.
 */
export async function checkTrust(
  repository: ReadRepository,
  {
    flags,
    env,
    askTrust,
  }: {
    readonly flags: { readonly trust?: boolean };
    readonly env: Terminal["env"];
    /** Where somebody can be asked: whether what is found holds. They may keep the answer. */
    readonly askTrust?: (untrusted: UntrustedClaims) => Promise<boolean>;
  },
): Promise<void> {
  if (flags.trust === true || ["1", "true"].includes(env["PALIMPSEST_TRUST"] ?? "")) return;
  const agentTypes = await shadowingAgentTypes(repository);
  const claims = findClaims({ ...repository, agentTypes });
  if (claims.length === 0) return;
  const { cwd, configDirectory } = repository;
  let trusted: readonly TrustedFolder[];
  try {
    trusted = await createTrustStore(configDirectory).list();
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error));
  }
  const untrusted = untrustedClaims(claims, { cwd, trusted });
  if (untrusted.claims.length === 0 || (await askTrust?.(untrusted)) === true) return;
  throw new StartError(untrustedMessage(untrusted, cwd));
}

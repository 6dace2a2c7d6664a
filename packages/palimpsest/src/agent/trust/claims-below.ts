import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isDependencyFolder } from "../memory-files/dependency-folders.js";
import { realPathOf } from "../base/real-path.js";
import { SettingsError } from "../settings/settings-error.js";
import type { SettingsPlaces } from "../settings/settings-files.js";
import type { Claim } from "./claim.js";
import { readClaims } from "./read-claims.js";

export interface FolderClaims {
  /** As links lead. */
  readonly folder: string;
  readonly claims: readonly Claim[];
  /** There are more folders below than are looked into: what they ask for is not covered. */
  readonly isIncomplete: boolean;
}

const MAX_FOLDERS = 50_000;
const configNames: ReadonlySet<string> = new Set([".claude", ".palimpsest", ".agents", ".mcp.json"]);

/**
 * What a folder and all folders below it ask for. Links, `.git` and the folders of dependencies are not entered.
 * Rejects with `SettingsError` where the folder's own settings are broken; broken ones below are passed over, since
 * no agent starts there.
 */
export async function claimsBelow(places: SettingsPlaces): Promise<FolderClaims> {
  const folder = realPathOf(resolve(places.cwd));
  const claims = new Map(
    (await readClaims({ ...places, cwd: folder })).map((claim) => [claim.digest, claim]),
  );
  const waiting = [folder];
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined && seen < MAX_FOLDERS; next = waiting.pop()) {
    seen += 1;
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    if (next !== folder && entries.some(({ name }) => configNames.has(name))) {
      for (const claim of await claimsOf({ ...places, cwd: next })) claims.set(claim.digest, claim);
    }
    for (const entry of entries) {
      const isEntered = entry.isDirectory() && entry.name !== ".git" && !configNames.has(entry.name);
      if (isEntered && !isDependencyFolder(entry.name)) waiting.push(join(next, entry.name));
    }
  }
  return { folder, claims: [...claims.values()], isIncomplete: waiting.length > 0 };
}

async function claimsOf(places: SettingsPlaces): Promise<readonly Claim[]> {
  try {
    return await readClaims(places);
  } catch (error) {
    if (error instanceof SettingsError) return [];
    throw error;
  }
}

import { createHash } from "node:crypto";
import { refusals, type Refusal } from "./refusal.js";

export interface Identity {
  readonly kind: "identity";
  /** Whose prompt cache it is: a digest of the key, never the key itself. */
  readonly workspace: string;
}

export interface Credentials {
  readonly apiKey: string | undefined;
  /** The key came as `Authorization: Bearer`. */
  readonly isBearer: boolean;
}

const digest = (key: string): string => createHash("sha256").update(key).digest("hex");

/** Decides who calls. Without a list of keys every key is good, each a workspace of its own. */
export function createAuthenticator(
  apiKeys?: readonly string[],
): (credentials: Credentials) => Identity | Refusal {
  const known = apiKeys === undefined ? undefined : new Set(apiKeys.map(digest));
  return ({ apiKey, isBearer }) => {
    if (apiKey === undefined) return refusals.keyMissing;
    const hash = digest(apiKey);
    if (known?.has(hash) === false) return isBearer ? refusals.bearerInvalid : refusals.keyInvalid;
    return { kind: "identity", workspace: `wrkspc_${hash.slice(0, 24)}` };
  };
}

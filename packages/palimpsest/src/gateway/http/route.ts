import { createHash } from "node:crypto";
import type { Protocol } from "./protocol.js";
import { refusals, type Refusal } from "./refusal.js";

/** Whose request it is: the one of this machine, or the holder of a token. */
type Tenant = string;

/** Where a request goes. */
export type Route =
  | {
      readonly kind: "upstream";
      readonly protocol: Protocol;
      readonly tenant: Tenant;
      /** What follows the prefix, query included, byte for byte. */
      readonly path: string;
    }
  | { readonly kind: "control"; readonly name: string; readonly tenant: Tenant }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** Digests of the tokens that are good. Empty where none is asked for. */
export type Tokens = ReadonlySet<string>;

const digest = (token: string): string => createHash("sha256").update(token).digest("hex");

export const tokensOf = (tokens: readonly string[]): Tokens => new Set(tokens.map(digest));

/** The tenant of a machine without tokens. */
const LOCAL: Tenant = "local";

const TENANT_LENGTH = 12;
const CONTROL = "/__gateway/";

/** Reads the target of a request: `/TOKEN` where tokens are asked for, then the protocol, then what goes upstream. */
export function routeOf(target: string, tokens: Tokens): Route {
  // A whole address, as proxies are sent: nobody uses this machine as one.
  if (!target.startsWith("/")) return { kind: "refused", refusal: refusals.notAPath };
  if (tokens.size === 0) return routeWithin(target, LOCAL);
  const [, token = "", rest = ""] = /^\/([^/?]*)(.*)$/s.exec(target) ?? [];
  const found = digest(token);
  return tokens.has(found)
    ? routeWithin(rest.startsWith("/") ? rest : `/${rest}`, found.slice(0, TENANT_LENGTH))
    : { kind: "refused", refusal: refusals.unknownToken };
}

function routeWithin(target: string, tenant: Tenant): Route {
  if (target.startsWith(CONTROL)) {
    return { kind: "control", name: target.slice(CONTROL.length).replace(/\?.*$/s, ""), tenant };
  }
  for (const protocol of ["anthropic", "openai"] as const) {
    const rest = afterPrefix(target, `/${protocol}`);
    if (rest !== undefined) return { kind: "upstream", protocol, tenant, path: rest };
  }
  return { kind: "upstream", protocol: "anthropic", tenant, path: target };
}

function afterPrefix(target: string, prefix: string): string | undefined {
  if (!target.startsWith(prefix)) return undefined;
  const rest = target.slice(prefix.length);
  if (rest.startsWith("/")) return rest;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : undefined;
}

/** An upstream's path before that of a request. Where the one ends with `/v1` and the other begins with it, it stands once. */
export function joinedPath(base: string, path: string): string {
  const before = base.replace(/\/+$/, "");
  const isTwice = before.endsWith("/v1") && /^\/v1(?:[/?]|$)/.test(path);
  return `${isTwice ? before.slice(0, -"/v1".length) : before}${path}`;
}

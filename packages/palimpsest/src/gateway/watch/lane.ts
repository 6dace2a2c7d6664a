import { asFields } from "@palimpsest/core/engine";
import type { ReadHeaders } from "./exchange.js";

/** Who sends a request, as far as the client says: a label, never a proof. */
export interface Lane {
  /** Tells lanes apart; of a client that says nothing, all are one. */
  readonly key: string;
  readonly isSubagent: boolean;
}

const sessionHeaders = [
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "x-session-id",
  "x-session-affinity",
];
const LONGEST = 200;

/** The session and the agent that a request names: in headers, or in its body. Absent where it names none. */
export function clientOf(
  headers: ReadHeaders,
  request: Readonly<Record<string, unknown>>,
): { readonly session?: string; readonly agent?: string } {
  const named = sessionHeaders
    .map((name) => headers[name])
    .find((value) => value !== undefined && value !== "");
  const session = (named ?? sessionInBody(request) ?? "").slice(0, LONGEST);
  const agent = (headers["x-claude-code-agent-id"] ?? "").slice(0, LONGEST);
  return { ...(session === "" ? {} : { session }), ...(agent === "" ? {} : { agent }) };
}

/** The lane of a request. */
export function laneOf(headers: ReadHeaders, request: Readonly<Record<string, unknown>>): Lane {
  const { session = "", agent = "" } = clientOf(headers, request);
  return { key: JSON.stringify([session, agent]), isSubagent: agent !== "" };
}

/** Claude Code says it in `metadata.user_id`: as JSON, or after `_session_` where it is older. Others name a cache key. */
function sessionInBody(request: Readonly<Record<string, unknown>>): string | undefined {
  const user = asFields(request["metadata"])["user_id"];
  if (typeof user === "string") {
    try {
      const { session_id: session } = asFields(JSON.parse(user));
      if (typeof session === "string") return session;
    } catch {
      const [, session] = /_session_([\w-]+)$/.exec(user.slice(-LONGEST)) ?? [];
      if (session !== undefined) return session;
    }
  }
  const key = request["prompt_cache_key"];
  return typeof key === "string" ? key : undefined;
}

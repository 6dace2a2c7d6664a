import type { ReadHeaders } from "./exchange.js";

/** What is read of a request's headers. Everything else, credentials above all, is passed on and forgotten. */
const ofRequests: ReadonlySet<string> = new Set([
  "content-type",
  "content-encoding",
  "anthropic-version",
  "anthropic-beta",
  "x-claude-code-session-id",
  "x-claude-code-agent-id",
  "x-claude-code-parent-agent-id",
  "session-id",
  "session_id",
  "x-session-id",
  "x-session-affinity",
]);

const ofAnswers: ReadonlySet<string> = new Set(["content-type", "content-encoding", "request-id"]);
/** What is left of a subscription. */
const QUOTA = "anthropic-ratelimit-unified-";

export const readRequestHeaders = (headers: readonly string[]): ReadHeaders =>
  pick(headers, (name) => ofRequests.has(name));

export const readAnswerHeaders = (headers: readonly string[]): ReadHeaders =>
  pick(headers, (name) => ofAnswers.has(name) || name.startsWith(QUOTA));

/** The betas that a request asks for. */
export const betasOf = (headers: ReadHeaders): readonly string[] =>
  (headers["anthropic-beta"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** The headers of an answer that say what is left of a subscription. */
export function quotaIn(headers: ReadHeaders): ReadHeaders | undefined {
  const found = Object.entries(headers).filter(([name]) => name.startsWith(QUOTA));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Whether a request is paid for by a subscription: its token says so. The token itself goes no further. */
export const isSubscriptionRequest = (headers: readonly string[]): boolean =>
  headers.some(
    (name, at) =>
      at % 2 === 0 &&
      name.toLowerCase() === "authorization" &&
      /^bearer +sk-ant-oat/i.test(headers[at + 1] ?? ""),
  );

function pick(headers: readonly string[], isRead: (name: string) => boolean): ReadHeaders {
  const found = new Map<string, string>();
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = (headers[at] ?? "").toLowerCase();
    if (isRead(name) && !found.has(name)) found.set(name, headers[at + 1] ?? "");
  }
  return Object.fromEntries(found);
}

/**
 * Whether an account is beyond what its plan includes, by the headers of a response; undefined where they do not say
 * so, as for accounts that pay for what they use.
 */
export function overageIn(headers: Pick<Headers, "get">): boolean | undefined {
  const name = (part: string): string | null => headers.get(`anthropic-ratelimit-unified-${part}`);
  const inUse = name("overage-in-use");
  if (inUse !== null) return inUse.trim().toLowerCase() === "true";
  const claim = name("representative-claim");
  if (claim === "overage") return true;
  // The plan is used up, and what goes beyond it is let through.
  if (name("status") === "rejected") return name("overage-status")?.startsWith("allowed") === true;
  return claim === null && name("status") === null ? undefined : false;
}

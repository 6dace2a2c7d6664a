import type { Finding, FindingFacts } from "./finding.js";

/** Findings with the same key as one; those that come to nothing, or would cost more, are left out. */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of findings) {
    const before = merged.get(finding.key);
    merged.set(finding.key, before === undefined ? finding : together(before, finding));
  }
  return [...merged.values()].filter(({ dollars }) => dollars > 0);
}

const together = (one: Finding, other: Finding): Finding => ({
  key: one.key,
  dollars: one.dollars + other.dollars,
  facts: factsTogether(one.facts, other.facts),
});

function factsTogether(one: FindingFacts, other: FindingFacts): FindingFacts {
  if (one.kind === "lifetime" && other.kind === "lifetime") {
    return { ...one, requests: one.requests + other.requests, pauses: one.pauses + other.pauses };
  }
  if (one.kind === "changing" && other.kind === "changing") {
    return {
      ...one,
      changes: one.changes + other.changes,
      lostTokens: one.lostTokens + other.lostTokens,
      example: one.example ?? other.example,
    };
  }
  if (one.kind === "repeated-reads" && other.kind === "repeated-reads") {
    return {
      ...one,
      reads: one.reads + other.reads,
      tokens: one.tokens + other.tokens,
      requests: one.requests + other.requests,
      files: [...one.files, ...other.files].toSorted((a, b) => b.tokens - a.tokens),
    };
  }
  return one;
}

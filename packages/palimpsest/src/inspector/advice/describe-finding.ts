import { redactSecrets } from "../../agent/base/redact-secrets.js";
import type { FindingFacts } from "./finding.js";

export interface DescribedFinding {
  /** What to change, in one sentence. */
  readonly what: string;
  readonly why: string;
}

const MOST_NAMED = 4;

/** A finding in words. Names and texts in it come from recordings: they are cut, and hold nothing that looks like a key. */
export function describeFinding(facts: FindingFacts): DescribedFinding {
  switch (facts.kind) {
    case "lifetime":
      return facts.better === "1h" ? longer(facts) : shorter(facts);
    case "unused-servers":
      return unused(facts);
    case "changing":
      return changing(facts);
    case "repeated-reads":
      return repeated(facts);
  }
}

type Facts<Kind extends FindingFacts["kind"]> = Extract<FindingFacts, { readonly kind: Kind }>;

const longer = ({ pauses }: Facts<"lifetime">): DescribedFinding => ({
  what: "Let cache entries live an hour instead of five minutes.",
  why: `${count(pauses, "pause")} of more than five minutes and less than an hour lost what was cached; writing for an hour costs more, and less than writing again.`,
});

const shorter = ({ pauses, requests }: Facts<"lifetime">): DescribedFinding => ({
  what: "Let cache entries live five minutes instead of an hour.",
  why: `${count(requests, "request")} paid the dearer price for an hour, and ${pauses === 0 ? "no pause" : `only ${count(pauses, "pause")}`} was longer than five minutes.`,
});

function unused({ servers, requests }: Facts<"unused-servers">): DescribedFinding {
  const tokens = servers.reduce((sum, server) => sum + server.tokens, 0);
  const tools = servers.reduce((sum, server) => sum + server.tools, 0);
  return {
    what: `Disconnect the MCP ${servers.length === 1 ? "server" : "servers"} ${listed(servers.map(({ name }) => name))}.`,
    why: `${count(tools, "tool")} with about ${tokens.toLocaleString("en-US")} tokens stood in ${count(requests, "request")}, and none of them was called.`,
  };
}

function changing({ owners, changes, lostTokens, example }: Facts<"changing">): DescribedFinding {
  const isDated = example !== null && DATED.test(example.before) && DATED.test(example.now);
  const shown = example === null ? "" : `: “${shownText(example.before)}” became “${shownText(example.now)}”`;
  const names = listed(owners);
  return {
    what: isDated
      ? `Take the date or time out of ${names}, or say it in the newest message.`
      : `Keep ${names} the same from request to request.`,
    why: `${owners.length === 1 ? "It" : "They"} changed ${count(changes, "time")}, and ${lostTokens.toLocaleString("en-US")} cached tokens after it were not read${shown}.`,
  };
}

const DATED = /\d{4}-\d\d-\d\d|\d{1,2}:\d\d|\b(?:19|20)\d\d\b|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b/i;

function repeated({ reads, tokens, requests, files }: Facts<"repeated-reads">): DescribedFinding {
  const needless = requests === 0 ? "" : `; ${count(requests, "request")} had nothing else to bring`;
  const names = [...new Set(files.map(({ name }) => name))];
  return {
    what: "Do not read files again that stand in the context unchanged: let the read tool say so instead.",
    why: `${count(reads, "read")} brought ${tokens.toLocaleString("en-US")} tokens that were there already${needless}. Most of it: ${listed(names)}.`,
  };
}

const count = (number: number, noun: string): string =>
  `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map(shownText);
  const rest = names.length - shown.length;
  const last = rest > 0 ? `${rest} more` : shown.pop();
  return shown.length === 0 ? (last ?? "") : `${shown.join(", ")} and ${last}`;
}

const LONGEST_NAME = 80;

/** On one line. */
function shownText(text: string): string {
  const line = redactSecrets(text, {}).replaceAll(/\s+/g, " ").trim();
  return line.length <= LONGEST_NAME ? line : `…${line.slice(1 - LONGEST_NAME)}`;
}

import { sendable } from "@palimpsest/core/protocols";
import { askAside, summaryIn } from "./ask-aside.js";
import { createCompactingRun, type CompactingParts } from "./compacting-run.js";
import type { Policy, PolicyHost } from "./policy.js";
import { PromptList, withInstruction, withoutThinking } from "./prompt-list.js";

export interface SummariseAllOptions {
  /** Share of the window at which everything is summarised. Default 0.8. */
  readonly at?: number;
}

const SYSTEM = "You write summaries of conversations.";
const INSTRUCTION = [
  "Create a detailed summary of this conversation, so that the work can go on without it.",
  "Name the request, the files, the errors and their fixes, what the user said, what is pending and what is being",
  "done now. Put it between <summary> and </summary>. Text only: do not call tools.",
].join("\n");
const SUMMARY_TOKENS = 20_000;
const SHARE = 0.8;

/** One tier: everything becomes one summary, written by a call that shares no cache with the conversation. */
export function createSummariseAllPolicy({ at = SHARE }: SummariseAllOptions = {}): Policy {
  return {
    name: "summarise-all",
    description: `summarises everything with a cold call at ${Math.round(at * 100)}% of the window`,
    ttls: ["5m", "1h"],
    start: (host) => createCompactingRun(summarisingAll(host, { at })),
  };
}

export interface SummarisingAll extends SummariseAllOptions {
  /** What is set after each summary. */
  readonly more?: () => string;
}

/** The parts of a policy that makes one summary of everything. */
export function summarisingAll(
  host: PolicyHost,
  { at = SHARE, more }: SummarisingAll,
): Pick<CompactingParts, "list" | "isDue" | "compact"> {
  const list = new PromptList(host);
  return {
    list,
    isDue: () => list.size >= host.window * at,
    async compact() {
      const history = new PromptList(host);
      history.append(list.messages.map(withoutThinking));
      const answer = await askAside(host.provider, {
        request: sendable({
          model: host.model,
          max_tokens: Math.min(SUMMARY_TOKENS, host.maxTokens),
          system: SYSTEM,
          tools: host.tools,
          messages: withInstruction(history.wire, INSTRUCTION),
        }),
      });
      if ("failure" in answer) return undefined;
      const parts = [
        `Summary of the conversation so far:\n${summaryIn(answer.text)}`,
        more?.() ?? "",
        "Go on.",
      ];
      return list.replace([list.say(parts.filter((part) => part !== "").join("\n\n"))], "full");
    },
  };
}

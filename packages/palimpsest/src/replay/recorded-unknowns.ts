import { isCompactBoundary, type AssistantMessage, type Message } from "@palimpsest/core";
import { readUsage, SYNTHETIC_MODEL } from "@palimpsest/core/engine";
import { asFieldsList, asText } from "./readers/recording.js";
import type { RecordedCost } from "./recorded-cost.js";
import type { RecordedHead } from "./recorded-context.js";

/** Something that a recording cannot tell, and what that means for the figures. */
export interface RecordedUnknown {
  readonly what:
    | "usage"
    | "head"
    | "summaries"
    | "times"
    | "subagents"
    | "prices"
    | "cache-writes"
    | "output"
    | "thinking"
    | "damage";
  /** One sentence. */
  readonly text: string;
}

interface Facts {
  readonly head: RecordedHead;
  readonly cost: RecordedCost;
  readonly damagedLines: number;
}

/** Calls of these start a conversation of another agent. */
const AGENT_TOOLS: ReadonlySet<string> = new Set(["task", "agent", "dispatch_agent", "spawn_agent"]);

/** What the figures of this recording leave out or have to guess. */
export function recordedUnknowns(
  messages: readonly Message[],
  { head, cost, damagedLines }: Facts,
): readonly RecordedUnknown[] {
  const main = messages.filter((message) => message.isSidechain !== true);
  const answers = answersOf(main);
  const counted = answers.filter(({ usage }) => usage !== undefined);
  const compactions = main.filter(isCompactBoundary);
  const unpaid = compactions.filter(({ compactMetadata: of }) => {
    // An extract and notes ask nobody when the conversation is compacted.
    const isAsked = of?.["writer"] !== "extractive" && of?.["writer"] !== "notes";
    return isAsked && !Array.isArray(of?.["summaryCalls"]);
  });
  const isAnyWritten = cost.cacheWriteTokens > 0;
  const unended = counted.filter(({ isEnded }) => !isEnded).length;
  const agents = messages.some(({ isSidechain }) => isSidechain === true) ? 0 : agentCalls(main);
  const hidden = answers.filter(({ hasHiddenThinking }) => hasHiddenThinking).length;
  const all: readonly (RecordedUnknown | false)[] = [
    answers.length > 0 &&
      counted.length < answers.length && {
        what: "usage",
        text:
          counted.length === 0
            ? "No response reports its usage: all sizes are estimates, and cost, cache and breaks are not known."
            : `${counted.length} of ${answers.length} responses report their usage: the others are not in the cost.`,
      },
    head !== "recorded" && {
      what: "head",
      text:
        head === "left-over"
          ? "System prompt and tools are not recorded: their size is what the first response read beside the messages that are."
          : "System prompt and tools are not recorded, and nothing tells their size: they are not in the figures.",
    },
    unpaid.length > 0 && {
      what: "summaries",
      text: `What the ${unpaid.length === 1 ? "summary" : "summaries"} of ${count(unpaid.length, "compaction")} cost is not recorded.`,
    },
    agents > 0 && {
      what: "subagents",
      text: `The conversations of subagents (${count(agents, "call")}) are not in this recording, nor is their cost.`,
    },
    cost.unpricedResponses > 0 && {
      what: "prices",
      text: `No prices are known for ${unpricedModels(cost)}: ${count(cost.unpricedResponses, "response")} ${cost.unpricedResponses === 1 ? "has" : "have"} tokens and no cost.`,
    },
    counted.length > 0 &&
      !isAnyWritten && {
        what: "cache-writes",
        text: "Cache writes are not reported: what was lost of the cache is known from reads alone, as the least that it can be.",
      },
    unended > 0 && {
      what: "output",
      text: `The output of ${count(unended, "response")} may be a placeholder: no reason to stop was recorded for ${unended === 1 ? "it" : "them"}.`,
    },
    hidden > 0 && {
      what: "thinking",
      text: `The thinking of ${count(hidden, "response")} is recorded without its text, or in a form that cannot be sent: its size is a guess.`,
    },
    !main.some(({ timestamp }) => Date.parse(timestamp) > 0) && {
      what: "times",
      text: "No times are recorded: pauses, and what they cost, are not known.",
    },
    damagedLines > 0 && {
      what: "damage",
      text: `${count(damagedLines, "line")} could not be read, and ${damagedLines === 1 ? "is" : "are"} missing.`,
    },
  ];
  return all.filter((one) => one !== false);
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

interface Answer {
  readonly usage: object | undefined;
  readonly isEnded: boolean;
  readonly hasHiddenThinking: boolean;
}

/** Each response once, however many lines it has. */
function answersOf(messages: readonly Message[]): readonly Answer[] {
  const answers = new Map<string, Answer>();
  for (const message of messages) {
    if (message.type !== "assistant" || message.message?.model === SYNTHETIC_MODEL) continue;
    const { id, usage, stop_reason: reason } = message.message;
    const before = answers.get(id);
    answers.set(id, {
      usage: readUsage(usage) ?? before?.usage,
      isEnded: typeof reason === "string" || before?.isEnded === true,
      hasHiddenThinking: hidesThinking(message) || before?.hasHiddenThinking === true,
    });
  }
  return [...answers.values()];
}

function hidesThinking(message: AssistantMessage): boolean {
  if ("reasoning" in message) return true;
  return asFieldsList(message.message.content).some(
    ({ type, thinking }) =>
      type === "redacted_thinking" || (type === "thinking" && asText(thinking).trim() === ""),
  );
}

const agentCalls = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => {
    if (message.type !== "assistant") return sum;
    const calls = asFieldsList(message.message?.content).filter(
      ({ type, name }) => type === "tool_use" && AGENT_TOOLS.has(asText(name).toLowerCase()),
    );
    return sum + calls.length;
  }, 0);

const unpricedModels = ({ models }: RecordedCost): string => {
  const names = Object.entries(models).flatMap(([name, { dollars }]) =>
    dollars === null ? [name || "unknown"] : [],
  );
  return names.length === 0 ? "some models" : names.slice(0, 3).join(", ");
};

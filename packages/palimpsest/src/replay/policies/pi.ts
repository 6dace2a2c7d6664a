import type { Message } from "@palimpsest/core";
import { askAside } from "./ask-aside.js";
import { createCompactingRun } from "./compacting-run.js";
import { conversationText } from "./conversation-text.js";
import { createFileLists } from "./file-lists.js";
import type { Policy, PolicyHost } from "./policy.js";
import { PromptList, roughTokens } from "./prompt-list.js";

/** What is left free of the window, and the share of it that a summary, or one of half a turn, may have. */
const RESERVED_TOKENS = 16_384;
const SUMMARY_SHARE = 0.8;
const TURN_SHARE = 0.5;
/** About so much stays word for word. */
const KEPT_TOKENS = 20_000;

const SYSTEM =
  "You are a context summarisation assistant. You read a conversation of a user with a coding assistant and write a summary of it in the form that is asked for. You do not go on with it.";
const FORM = `## Goal
## Constraints & Preferences
## Progress
### Done
### In Progress
### Blocked
## Key Decisions
## Next Steps
## Critical Context

Be brief. Keep exact paths, names and error messages.`;
const FIRST = `The messages above are a conversation to summarise. Write a context checkpoint summary for whoever goes on with the work, in this form:

${FORM}`;
const UPDATE = `The messages above are new: incorporate them into the existing summary, which stands in <previous-summary>. Keep what it says, add what is new, and bring progress and next steps up to date. The result is a context checkpoint summary in this form:

${FORM}`;
const TURN = `The messages above are the beginning of a turn whose end is kept word for word. Write a context checkpoint summary of this beginning, in this form:

## Original Request
## Early Progress
## Context for Suffix`;
const PREFIX = "The conversation history before this point was summarised:";

/**
 * pi's rules: when less than 16,384 tokens are left, what is older than about 20,000 tokens is summarised by a call
 * of its own, which is shown the conversation as text and the summary before it; files that were read and changed
 * are listed after it. A turn that is cut in two gets a second summary for its beginning.
 */
export function createPiPolicy(): Policy {
  return {
    name: "pi",
    description: `keeps about ${KEPT_TOKENS} tokens, with a summary that is brought up to date`,
    ttls: ["5m", "1h"],
    start(host) {
      const list = new PromptList(host);
      const files = createFileLists();
      let summary: { readonly message: Message; readonly text: string } | undefined;
      const limit = Math.max(host.window / 2, host.window - RESERVED_TOKENS);
      return createCompactingRun({
        list,
        isDue: () => list.size > limit,
        async compact() {
          const messages = list.messages.filter((message) => message !== summary?.message);
          const { old, turn, kept } = divide(messages, Math.min(KEPT_TOKENS, host.window / 2));
          if (old.length + turn.length === 0) return undefined;
          const [history, beginning] = await Promise.all([
            old.length === 0
              ? (summary?.text ?? "No prior history.")
              : ask(host, historyPrompt(old, summary?.text), SUMMARY_SHARE),
            turn.length === 0 ? "" : ask(host, turnPrompt(turn), TURN_SHARE),
          ]);
          if (history === undefined || beginning === undefined) return undefined;
          for (const message of [...old, ...turn]) files.note(message);
          const text =
            beginning === "" ? history : `${history}\n\n---\n\nThe turn that is cut:\n\n${beginning}`;
          const message = list.say(`${PREFIX}\n\n<summary>\n${text}${files.text()}\n</summary>`);
          summary = { message, text };
          return list.replace([message, ...kept], "full");
        },
      });
    },
  };
}

interface Divided {
  /** Whole turns. */
  readonly old: readonly Message[];
  /** The beginning of a turn whose end is kept. */
  readonly turn: readonly Message[];
  readonly kept: readonly Message[];
}

/** From the newest message back until so many tokens are there; never between a call and its result. */
function divide(messages: readonly Message[], tokens: number): Divided {
  let at = messages.length;
  for (let sum = 0; at > 0 && sum < tokens;) {
    at -= 1;
    const message = messages[at];
    sum += message === undefined ? 0 : roughTokens(message);
  }
  while (at < messages.length && !isCut(messages[at])) at += 1;
  if (at === messages.length) at = Math.max(0, messages.findLastIndex(isCut));
  const start = isTurn(messages[at]) ? at : messages.slice(0, at).findLastIndex(isTurn);
  const from = start < 0 ? at : start;
  return { old: messages.slice(0, from), turn: messages.slice(from, at), kept: messages.slice(at) };
}

const hasResult = (message: Message): boolean =>
  message.type === "user" &&
  typeof message.message.content !== "string" &&
  message.message.content.some(({ type }) => type === "tool_result");

/** A turn begins with what somebody said. */
const isTurn = (message: Message | undefined): boolean =>
  message !== undefined && message.type === "user" && !hasResult(message);

const isCut = (message: Message | undefined): boolean => isTurn(message) || message?.type === "assistant";

const historyPrompt = (messages: readonly Message[], summary: string | undefined): string => {
  const shown = `<conversation>\n${conversationText(messages)}\n</conversation>\n\n`;
  if (summary === undefined) return `${shown}${FIRST}`;
  return `${shown}<previous-summary>\n${summary}\n</previous-summary>\n\n${UPDATE}`;
};

const turnPrompt = (messages: readonly Message[]): string =>
  `<conversation>\n${conversationText(messages)}\n</conversation>\n\n${TURN}`;

async function ask(host: PolicyHost, prompt: string, share: number): Promise<string | undefined> {
  const answer = await askAside(host.provider, {
    request: {
      model: host.model,
      max_tokens: Math.min(host.maxTokens, Math.floor(RESERVED_TOKENS * share)),
      system: SYSTEM,
      messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    },
  });
  return "text" in answer ? answer.text.trim() : undefined;
}

import { isHumanMessage, type Message } from "@palimpsest/core";
import { asFieldsList, asText } from "../readers/recording.js";
import { askAside, isTooLong, type AsideAnswer } from "./ask-aside.js";
import { createCompactingRun } from "./compacting-run.js";
import type { Policy, PolicyHost } from "./policy.js";
import { PromptList, roundsOf } from "./prompt-list.js";

/** Share of the window from which on everything is compacted. */
const SHARE = 0.9;
/** Of what people said, the newest so many tokens stay word for word. */
const USER_TOKENS = 20_000;
const BYTES_PER_TOKEN = 4;

const INSTRUCTION = `You are performing a context checkpoint compaction. Write a handoff summary for another model that takes
over this conversation: what was done and decided, what to mind, what is left to do, and which data it needs.
Be brief and clear. Text only.`;
const PREFIX = "Another language model started on this task. What it left behind for you:";

/**
 * Codex's rules: at 90% of the window all of the history is summarised by one call on the same prompt; what people
 * said stays word for word, the newest 20,000 tokens of it, with the summary after it. All else goes.
 */
export function createCodexPolicy(): Policy {
  return {
    name: "codex",
    description: `at ${SHARE * 100}% of the window, people's newest words and a summary`,
    ttls: ["5m", "1h"],
    start(host) {
      const list = new PromptList(host);
      /** What the program said before the first response, such as rules of the project: it is always said again. */
      let first: readonly Message[] | undefined;
      return createCompactingRun({
        list,
        isDue: () => list.size >= host.window * SHARE,
        async compact() {
          first ??= (roundsOf(list.messages)[0] ?? []).filter((message) => isSaidByProgram(message));
          const answer = await summaryOf(list, host);
          if (!("text" in answer)) return undefined;
          const kept = newestWords(list.messages).map((text) => list.quote(text));
          return list.replace([...first, ...kept, list.say(`${PREFIX}\n${answer.text.trim()}`)], "full");
        },
      });
    },
  };
}

const isSaidByProgram = (message: Message): boolean =>
  message.type === "attachment" || (message.type === "user" && !isHumanMessage(message));

/** Where the history is too long for that, without its oldest round, and so on. */
async function summaryOf(list: PromptList, host: PolicyHost): Promise<AsideAnswer> {
  let answer = await askAside(host.provider, list.requestAside(INSTRUCTION));
  for (let rounds = roundsOf(list.messages).slice(1); isTooLong(answer) && rounds.length > 0;) {
    const rest = new PromptList(host);
    rest.append(rounds.flat());
    answer = await askAside(host.provider, rest.requestAside(INSTRUCTION));
    rounds = rounds.slice(1);
  }
  return answer;
}

/** From the newest back; the one that no longer fits keeps its ends. */
function newestWords(messages: readonly Message[]): readonly string[] {
  const words: string[] = [];
  let left = USER_TOKENS;
  for (const message of messages.toReversed()) {
    if (left <= 0) break;
    if (!isHumanMessage(message)) continue;
    const text = textOf(message.message.content);
    const tokens = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
    if (text !== "") words.unshift(tokens <= left ? text : withoutMiddle(text, left * BYTES_PER_TOKEN));
    left -= tokens;
  }
  return words;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = asFieldsList(content).map((block) => (block["type"] === "text" ? asText(block["text"]) : ""));
  return texts.filter((text) => text !== "").join("\n");
}

function withoutMiddle(text: string, characters: number): string {
  const half = Math.floor(characters / 2);
  const left = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "");
  const right = text.slice(-half).replace(/^[\uDC00-\uDFFF]/, "");
  const cut = Math.ceil((text.length - 2 * half) / BYTES_PER_TOKEN);
  return `${left}\n[${cut} tokens left out]\n${right}`;
}

import type { ModelResponse, RequestMessage } from "@palimpsest/core";
import type { Policy, PolicyEdit } from "./policy.js";
import { PromptList, withoutThinking } from "./prompt-list.js";

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

/** One tier: everything becomes one summary, written by a call that shares no cache with the conversation. */
export function createSummariseAllPolicy({ at = 0.8 }: SummariseAllOptions = {}): Policy {
  return {
    name: "summarise-all",
    description: `summarises everything with a cold call at ${Math.round(at * 100)}% of the window`,
    ttls: ["5m", "1h"],
    start(host) {
      const list = new PromptList(host);

      const summarise = async (): Promise<PolicyEdit | undefined> => {
        const history = new PromptList(host);
        history.append(list.messages.map(withoutThinking));
        const messages: readonly RequestMessage[] = [
          ...history.wire,
          { role: "user", content: [{ type: "text", text: INSTRUCTION }] },
        ];
        const response = await answerOf(
          host.provider.stream({
            request: {
              model: host.model,
              max_tokens: Math.min(SUMMARY_TOKENS, host.maxTokens),
              system: SYSTEM,
              tools: host.tools,
              messages: joined(messages),
            },
          }),
        );
        const text = response?.content
          .flatMap((block) => (block.type === "text" ? [block.text] : []))
          .join("\n");
        if (text === undefined || text.trim() === "") return undefined;
        const summary = /<summary>([^]*)<\/summary>/.exec(text)?.[1] ?? text;
        return list.replace(
          [list.say(`Summary of the conversation so far:\n${summary.trim()}\n\nGo on.`)],
          "full",
        );
      };

      return {
        append: async (messages) => list.append(messages),
        async prepare() {
          const edit = list.size >= host.window * at ? await summarise() : undefined;
          return { kind: "request", call: list.request(), edits: edit === undefined ? [] : [edit] };
        },
        async answered(response) {
          list.answered(response);
          return [];
        },
        async refused({ kind }) {
          const edit = kind === "context-overflow" ? await summarise() : undefined;
          return edit === undefined ? { next: "end", edits: [] } : { next: "retry", edits: [edit] };
        },
      };
    },
  };
}

/** Two user messages in a row are one. */
function joined(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const [last, before] = [messages.at(-1), messages.at(-2)];
  if (last?.role !== "user" || before?.role !== "user") return messages;
  const blocks = (content: typeof last.content) =>
    typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const content = [...blocks(before.content), ...blocks(last.content)];
  return [...messages.slice(0, -2), { role: "user", content }];
}

async function answerOf(
  outputs: AsyncIterable<{ readonly kind: string; readonly message?: unknown }>,
): Promise<ModelResponse | undefined> {
  let answer: ModelResponse | undefined;
  for await (const output of outputs) if (output.kind === "message") answer = output.message as ModelResponse;
  return answer;
}

import type { MessageOrigin } from "../../../messages/construct.js";
import { createAssistantMessage, createUserMessage } from "../../../messages/construct.js";
import type { AssistantBlock, ToolResultContent } from "../../../messages/content.js";
import type { Message } from "../../../messages/message.js";

/** A call of the tests and its result; without a result the call stays open. */
export interface SampleCall {
  readonly name?: string;
  readonly id?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly result?: string | readonly ToolResultContent[] | null;
  readonly isError?: boolean;
}

export interface SampleRound {
  readonly calls?: readonly SampleCall[];
  /** The text of a thinking block before the calls. */
  readonly thinking?: string;
  readonly text?: string;
  /** What the person says after the round. */
  readonly says?: string;
  /** Each block in a message of its own, results between them. */
  readonly isSplit?: boolean;
}

export const SAMPLE_START = Date.UTC(2026, 10, 15, 10);

/** About `tokens` tokens by the heuristic estimator. */
export const filler = (name: string, tokens: number): string =>
  `${name} ${"lorem ipsum ".repeat(Math.ceil(tokens / 3))}`.slice(0, tokens * 4);

/** A conversation under construction; the clock stands unless `at` is moved. */
export function createSample() {
  let count = 0;
  let responses = 0;
  let calls = 0;
  let last: string | null = null;
  const sample = {
    at: SAMPLE_START,
    origin: (): MessageOrigin => ({
      clock: { now: () => sample.at },
      ids: { next: () => `u${(count += 1)}` },
      sessionId: "s",
      parentUuid: last,
    }),
    user(text: string): Message {
      return follow(createUserMessage(sample.origin(), { content: text }));
    },
    /** The messages of one round. */
    round({ calls: made = [], thinking, text, says, isSplit = false }: SampleRound): readonly Message[] {
      const id = `msg_${(responses += 1)}`;
      const given = made.map((call) => ({ ...call, id: call.id ?? `toolu_${(calls += 1)}` }));
      const uses: AssistantBlock[] = given.map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.name ?? "Read",
        input: call.input ?? { file_path: `/${call.id}` },
      }));
      const head: AssistantBlock[] = [
        ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: `sig ${id}` } as const]),
        ...(text === undefined && uses.length > 0 ? [] : [{ type: "text", text: text ?? "ok" } as const]),
      ];
      const assistant = (content: readonly AssistantBlock[]): Message =>
        follow(createAssistantMessage(sample.origin(), { id, model: "claude-opus-5", content }));
      const results = (list: typeof given): readonly Message[] => {
        const blocks = list.flatMap((call) =>
          call.result === null
            ? []
            : [
                {
                  type: "tool_result" as const,
                  tool_use_id: call.id,
                  content: call.result ?? filler(call.id, 1000),
                  ...(call.isError === true ? { is_error: true } : {}),
                },
              ],
        );
        return blocks.length === 0 ? [] : [follow(createUserMessage(sample.origin(), { content: blocks }))];
      };
      const out: Message[] = [];
      if (isSplit) {
        for (const block of head) out.push(assistant([block]));
        for (const [index, use] of uses.entries()) {
          out.push(assistant([use]), ...results(given.slice(index, index + 1)));
        }
      } else {
        out.push(assistant([...head, ...uses]), ...results(given));
      }
      if (says !== undefined) out.push(sample.user(says));
      return out;
    },
  };
  const follow = (message: Message): Message => {
    last = message.uuid;
    return message;
  };
  return sample;
}

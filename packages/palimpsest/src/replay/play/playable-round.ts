import {
  createAssistantMessage,
  createUserMessage,
  type AssistantBlock,
  type AssistantMessage,
  type Message,
  type RequestMessage,
} from "@palimpsest/core";
import { createNormaliser } from "@palimpsest/core/engine";
import type { RecordedResponse, RecordedRound } from "../rounds/recorded-round.js";

/** The rounds of a conversation, one after the other, so that a request can be made of each. */
export interface PlayableRounds {
  /**
   * The same round, where it brings the model something to answer. Else, as for two responses in a row, a word to go
   * on is put in: it has to stay where it stands, or what was said behind it would no longer fit.
   */
  next(round: RecordedRound): RecordedRound;
}

const GO_ON = "Continue.";

export function createPlayableRounds(): PlayableRounds {
  let before: AssistantMessage | undefined;
  let number = 0;
  return {
    next(round) {
      const isAnswerable = bringsSomething(requestTail(before, round.incoming));
      number += 1;
      before = spokenMessage(round.response);
      if (isAnswerable) return round;
      const origin = originOf(`go-on-${number}`, round.at);
      const goOn = createUserMessage(origin, { content: GO_ON, isMeta: true });
      return { ...round, incoming: [...round.incoming, goOn] };
    },
  };
}

/** What a request ends with: the response before, if there is one, and what came in after it. */
export function requestTail(
  before: AssistantMessage | undefined,
  incoming: readonly Message[],
): readonly RequestMessage[] {
  const { messages } = createNormaliser().append(before === undefined ? incoming : [before, ...incoming]);
  // What was put before the response, so that the list begins as a conversation does, is no part of it.
  const from = messages.findIndex(({ role }) => role === "assistant");
  return from < 0 ? messages : messages.slice(from);
}

/** Normalising ends a list that would end with a response: with a text that nobody said. */
function bringsSomething(tail: readonly RequestMessage[]): boolean {
  const last = tail.at(-1);
  if (last === undefined) return false;
  const [block, second] = typeof last.content === "string" ? [] : last.content;
  return !(tail.length > 1 && second === undefined && block?.type === "text" && block.text === GO_ON);
}

/** The response as a message, without its thinking. */
export function spokenMessage({ id, model, at, content }: RecordedResponse): AssistantMessage {
  const blocks = content.flatMap((block): readonly AssistantBlock[] => {
    if (block.type === "text") return [block];
    return block.type === "tool_use" && block.id !== undefined ? [{ ...block, id: block.id }] : [];
  });
  return createAssistantMessage(originOf(id, at), { id, model, content: blocks });
}

const originOf = (uuid: string, at: number) => ({
  clock: { now: () => at },
  ids: { next: () => uuid },
  sessionId: "replay",
  parentUuid: null,
});

import type { Message, RequestMessage } from "@palimpsest/core";
import { createUserWordsJudge, createUserWordsReader } from "../../replay/measures/user-words.js";

/** Share of what the person said that requests hold word for word, measured as a replay measures it. */
export interface KeptWords {
  /** One request, with what came in since the one before. */
  readonly note: (incoming: readonly Message[], messages: readonly RequestMessage[]) => void;
  /** Over all requests so far; 1 where nobody said anything. */
  readonly share: () => number;
}

export function createKeptWords(): KeptWords {
  const judge = createUserWordsJudge();
  const reader = createUserWordsReader(judge);
  let said = 0;
  let present = 0;
  return {
    note(incoming, messages) {
      judge.note(incoming);
      said += judge.count;
      present += reader.present(messages);
    },
    share: () => (said === 0 ? 1 : present / said),
  };
}

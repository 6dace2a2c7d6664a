import type { Message, ModelResponse } from "@palimpsest/core";
import type { PolicyEdit, PolicyRun } from "./policy.js";
import type { PromptList } from "./prompt-list.js";

export interface CompactingParts {
  readonly list: PromptList;
  /** Whether the list is to be compacted before the next request. */
  readonly isDue: () => boolean;
  /** Undefined where it came to nothing. `isRefused`: the API has just said that the request is too long. */
  readonly compact: (isRefused: boolean) => Promise<PolicyEdit | undefined>;
  /** Told of everything that enters the list. */
  readonly note?: {
    readonly incoming: (messages: readonly Message[]) => void;
    readonly response: (response: ModelResponse) => void;
  };
}

/** A list that is compacted when it is due, and once more where the API refuses it as too long. */
export function createCompactingRun({ list, isDue, compact, note }: CompactingParts): PolicyRun {
  return {
    async append(messages) {
      note?.incoming(messages);
      list.append(messages);
    },
    async prepare() {
      const edit = isDue() ? await compact(false) : undefined;
      return { kind: "request", call: list.request(), edits: edit === undefined ? [] : [edit] };
    },
    async answered(response) {
      note?.response(response);
      list.answered(response);
      return [];
    },
    async refused({ kind }) {
      const edit = kind === "context-overflow" ? await compact(true) : undefined;
      return edit === undefined ? { next: "end", edits: [] } : { next: "retry", edits: [edit] };
    },
  };
}

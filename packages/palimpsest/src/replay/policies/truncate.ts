import type { Message } from "@palimpsest/core";
import type { Policy, PolicyEdit } from "./policy.js";
import { PromptList, roundsOf } from "./prompt-list.js";

export interface TruncateOptions {
  /** Share of the window at which the oldest half goes. Default 0.8. */
  readonly at?: number;
}

/** Drops the oldest half of the rounds when the window fills up. */
export function createTruncatePolicy({ at = 0.8 }: TruncateOptions = {}): Policy {
  return {
    name: "truncate",
    description: `drops the oldest half of the conversation at ${Math.round(at * 100)}% of the window`,
    ttls: ["5m", "1h"],
    start(host) {
      const list = new PromptList(host);
      const dropHalf = (): PolicyEdit | undefined => {
        const rounds = roundsOf(list.messages);
        if (rounds.length < 2) return undefined;
        const kept: readonly Message[] = rounds.slice(Math.ceil(rounds.length / 2)).flat();
        return list.replace(
          [list.say("[The earlier part of this conversation was dropped.]"), ...kept],
          "truncate",
        );
      };
      return {
        append: async (messages) => list.append(messages),
        async prepare() {
          const edit = list.size >= host.window * at ? dropHalf() : undefined;
          return { kind: "request", call: list.request(), edits: edit === undefined ? [] : [edit] };
        },
        async answered(response) {
          list.answered(response);
          return [];
        },
        async refused({ kind }) {
          const edit = kind === "context-overflow" ? dropHalf() : undefined;
          return edit === undefined ? { next: "end", edits: [] } : { next: "retry", edits: [edit] };
        },
      };
    },
  };
}

import type { Policy } from "./policy.js";
import { PromptList } from "./prompt-list.js";

/** Sends everything, until the window is full. */
export const nonePolicy: Policy = {
  name: "none",
  description: "sends everything; ends at the window",
  ttls: ["5m", "1h"],
  start(host) {
    const list = new PromptList(host);
    return {
      append: async (messages) => list.append(messages),
      prepare: async () => ({ kind: "request", call: list.request(), edits: [] }),
      async answered(response) {
        list.answered(response);
        return [];
      },
      refused: async () => ({ next: "end", edits: [] }),
    };
  },
};

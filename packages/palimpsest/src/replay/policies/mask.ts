import type { Policy, PolicyEdit } from "./policy.js";
import { PromptList } from "./prompt-list.js";
import { resultsOf, withoutResults } from "./without-results.js";

export interface MaskOptions {
  /** The newest results that stay. Default 10. */
  readonly keep?: number;
  /** Results are masked once so many more than that are there: 1 (the default) masks with every turn. */
  readonly batch?: number;
}

const MASK = "[This result was removed.]";

/** Replaces all but the newest results by a short note. */
export function createMaskPolicy({ keep = 10, batch = 1 }: MaskOptions = {}): Policy {
  const when = batch === 1 ? "in every turn" : `whenever ${batch} more have come`;
  return {
    name: "mask",
    description: `keeps the newest ${keep} tool results, ${when}`,
    ttls: ["5m", "1h"],
    start(host) {
      const list = new PromptList(host);
      /** Results that are still there, the oldest first. */
      let active: string[] = [];
      const mask = (): PolicyEdit | undefined => {
        if (active.length < keep + batch) return undefined;
        const masked = new Set(active.slice(0, active.length - keep));
        active = active.slice(active.length - keep);
        return list.replace(
          list.messages.map((message) => withoutResults(message, { ids: masked, note: MASK })),
          "mask",
        );
      };
      return {
        async append(messages) {
          list.append(messages);
          active.push(...messages.flatMap(resultsOf).map(({ tool_use_id: id }) => id));
        },
        async prepare() {
          const edit = mask();
          return { kind: "request", call: list.request(), edits: edit === undefined ? [] : [edit] };
        },
        async answered(response) {
          list.answered(response);
          return [];
        },
        refused: async () => ({ next: "end", edits: [] }),
      };
    },
  };
}

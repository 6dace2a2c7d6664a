import { createCompactingRun } from "./compacting-run.js";
import type { Policy } from "./policy.js";
import { saidTexts } from "./said-texts.js";
import { summarisingAll } from "./summarise-all.js";

const PATH = /(?<![\w@.~-])(?:[A-Za-z]:)?[\\/]?(?:[\w@.~+-]+[\\/])+[\w@.~+-]+|\b[\w-]+\.[a-z]{1,5}\b/g;
/** Of the window, what the names may fill: beyond, the oldest go. */
const SHARE = 0.3;
const CHARACTERS_PER_TOKEN = 3;

/** Made to cheat a judge of names: after each summary it names every path that it has seen. */
export function createCheatPathsPolicy(): Policy {
  return {
    name: "cheat-paths",
    description: "summarises everything at 80% of the window, and names every path",
    ttls: ["5m", "1h"],
    start(host) {
      /** The one that was seen last is the last. */
      const paths = new Set<string>();
      const see = (texts: readonly string[]): void => {
        for (const [path] of texts.flatMap((text) => [...text.matchAll(PATH)])) {
          paths.delete(path);
          paths.add(path);
        }
      };
      const named = (): string => {
        let left = host.window * SHARE * CHARACTERS_PER_TOKEN;
        return [...paths]
          .toReversed()
          .filter((path) => (left -= path.length + 1) >= 0)
          .join("\n");
      };
      return createCompactingRun({
        ...summarisingAll(host, { more: named }),
        note: {
          incoming: (messages) => see(messages.flatMap(saidTexts)),
          response: ({ content }) => see(saidTexts({ type: "assistant", message: { content } })),
        },
      });
    },
  };
}

import { createCompactingRun } from "./compacting-run.js";
import type { Policy } from "./policy.js";
import { saidTexts } from "./said-texts.js";
import { summarisingAll } from "./summarise-all.js";

const LINES = 2000;
/** Of the window, what the lines may fill: beyond, the oldest go. */
const SHARE = 0.4;
const CHARACTERS_PER_TOKEN = 3;

/** Made to cheat a judge of lines: after each summary it pastes the last 2,000 distinct lines that it has seen. */
export function createCheatLinesPolicy(): Policy {
  return {
    name: "cheat-lines",
    description: `summarises everything at 80% of the window, and pastes the last ${LINES} distinct lines`,
    ttls: ["5m", "1h"],
    start(host) {
      /** The one that was seen last is the last. */
      const lines = new Set<string>();
      const see = (texts: readonly string[]): void => {
        for (const line of texts.flatMap((text) => text.split("\n"))) {
          if (line.trim() === "") continue;
          lines.delete(line);
          lines.add(line);
        }
        for (const oldest of lines) {
          if (lines.size <= LINES) break;
          lines.delete(oldest);
        }
      };
      const pasted = (): string => {
        let left = host.window * SHARE * CHARACTERS_PER_TOKEN;
        const fitting = [...lines].toReversed().filter((line) => (left -= line.length + 1) >= 0);
        return fitting.toReversed().join("\n");
      };
      return createCompactingRun({
        ...summarisingAll(host, { more: pasted }),
        note: {
          incoming: (messages) => see(messages.flatMap(saidTexts)),
          response: ({ content }) => see(saidTexts({ type: "assistant", message: { content } })),
        },
      });
    },
  };
}

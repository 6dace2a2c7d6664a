import type { BackgroundAgent, BackgroundAgents } from "@palimpsest/core/restore";
import { asText } from "../readers/recording.js";
import type { RecordedCall } from "./recorded-call.js";

/** The agents that a recording starts in the background, until their results are told. */
export interface RecordedAgents {
  readonly source: BackgroundAgents;
  readonly answered: (call: RecordedCall) => void;
  /** What was said beside results: a notice that one has finished, with what came of it. */
  readonly said: (text: string) => void;
}

const MOST_AGENTS = 100;

const LAUNCHED = /^Async agent launched successfully[^]{0,400}?\nagentId: (\w{1,64})/;
const NOTICE = /^\s*<task-notification>\s*<task-id>(\w{1,64})<\/task-id>/;

export function createRecordedAgents(): RecordedAgents {
  /** Those at work, by id. */
  const running = new Map<string, BackgroundAgent>();
  return {
    source: { agents: async (agentId) => (agentId === undefined ? [...running.values()] : []) },
    answered({ name, input, text = "", isError }) {
      if (isError || (name !== "Agent" && name !== "Task")) return;
      const id = LAUNCHED.exec(text.slice(0, 1000))?.[1];
      if (id === undefined) return;
      running.set(id, { id, description: asText(input["description"]).slice(0, 500), status: "running" });
      for (const oldest of running.keys()) {
        if (running.size <= MOST_AGENTS) break;
        running.delete(oldest);
      }
    },
    said(text) {
      const id = NOTICE.exec(text.slice(0, 1000))?.[1];
      if (id !== undefined) running.delete(id);
    },
  };
}

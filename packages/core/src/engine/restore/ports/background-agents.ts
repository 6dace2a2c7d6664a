export type BackgroundStatus = "pending" | "running" | "completed" | "failed" | "killed";

/** A subagent, or a command, that works beside the agent that started it. */
export interface BackgroundAgent {
  readonly id: string;
  /** Default `agent`. */
  readonly kind?: "agent" | "command";
  readonly description: string;
  readonly status: BackgroundStatus;
  /** What it did last, or what came of it, in a sentence or two. */
  readonly progress?: string;
  /** Whether its result was fetched. */
  readonly isRetrieved?: boolean;
}

/** What runs in the background. */
export interface BackgroundAgents {
  /** Those that this agent started; without an id the main thread. */
  readonly agents: (agentId: string | undefined) => Promise<readonly BackgroundAgent[]>;
}

export interface MemoryBackgroundAgents extends BackgroundAgents {
  readonly set: (agents: readonly BackgroundAgent[], agentId?: string) => void;
}

/** Agents that live as long as the process. */
export function createMemoryBackgroundAgents(
  agents: readonly BackgroundAgent[] = [],
): MemoryBackgroundAgents {
  const known = new Map<string | undefined, readonly BackgroundAgent[]>([[undefined, agents]]);
  return {
    agents: async (agentId) => known.get(agentId) ?? [],
    set: (next, agentId) => void known.set(agentId, next),
  };
}

/** What an agent plans. */
export interface PlanState {
  /** Where the plan stands, or is to stand. */
  readonly path: string;
  /** The whole plan; undefined while there is none. */
  readonly content?: string | undefined;
  /** Whether the agent may only plan for now. */
  readonly isPlanMode: boolean;
  /** The person began it, by the mode of the session: it ends with that mode. */
  readonly isSessionMode?: boolean;
}

/** The plan of an agent, and its mode. */
export interface PlanSource {
  /** Undefined for an agent that has nothing to do with plans; without an id the main thread. */
  readonly plan: (agentId: string | undefined) => Promise<PlanState | undefined>;
}

export interface MemoryPlan extends PlanSource {
  readonly set: (state: PlanState | undefined, agentId?: string) => void;
}

/** Plans that live as long as the process. */
export function createMemoryPlan(state?: PlanState): MemoryPlan {
  const known = new Map<string | undefined, PlanState | undefined>([[undefined, state]]);
  return {
    plan: async (agentId) => known.get(agentId),
    set: (next, agentId) => void known.set(agentId, next),
  };
}

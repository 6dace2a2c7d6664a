/** A skill that an agent has invoked. */
export interface InvokedSkill {
  readonly name: string;
  /** Where the rest can be read when it is cut. */
  readonly path: string;
  /** The whole original text, never one that was cut before. */
  readonly content: string;
  /** Milliseconds since the epoch. */
  readonly invokedAt: number;
  /** The subagent that invoked it; left out for the main thread. */
  readonly agentId?: string;
}

/** Which skills are in use. */
export interface InvokedSkills {
  /** Those of this agent; undefined is the main thread. */
  readonly invoked: (agentId: string | undefined) => Promise<readonly InvokedSkill[]>;
}

export interface MemoryInvokedSkills extends InvokedSkills {
  /** A skill was invoked; an earlier invocation by the same agent is replaced. */
  readonly note: (skill: InvokedSkill) => void;
}

/** Skills that live as long as the process. */
export function createMemoryInvokedSkills(): MemoryInvokedSkills {
  let known: readonly InvokedSkill[] = [];
  return {
    note(skill) {
      const others = known.filter(({ name, agentId }) => name !== skill.name || agentId !== skill.agentId);
      known = [...others, skill];
    },
    async invoked(agentId) {
      return known.filter((skill) => skill.agentId === agentId);
    },
  };
}

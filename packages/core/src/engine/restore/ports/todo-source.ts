/** One item of a to-do list; further fields are kept as they came. */
export interface Todo {
  readonly content: string;
  /** `pending`, `in_progress`, `completed`, or a word of the host's. */
  readonly status: string;
  readonly [field: string]: unknown;
}

/** The persisted to-do lists. */
export interface TodoSource {
  /** All items of this agent in their order; without an id the main thread's. */
  readonly todos: (agentId: string | undefined) => Promise<readonly Todo[]>;
}

export interface MemoryTodos extends TodoSource {
  readonly set: (todos: readonly Todo[], agentId?: string) => void;
}

/** To-do lists that live as long as the process. */
export function createMemoryTodos(todos: readonly Todo[] = []): MemoryTodos {
  const known = new Map<string | undefined, readonly Todo[]>([[undefined, todos]]);
  return {
    todos: async (agentId) => known.get(agentId) ?? [],
    set: (next, agentId) => void known.set(agentId, next),
  };
}

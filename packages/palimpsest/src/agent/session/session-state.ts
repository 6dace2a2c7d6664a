import {
  createMemoryInvokedSkills,
  createMemoryTodos,
  type InvokedSkill,
  type MemoryInvokedSkills,
  type MemoryTodos,
  type Todo,
} from "@palimpsest/core/restore";
import { join } from "node:path";
import { isFields } from "../base/fields.js";
import { createPlanMode, type PlanMode } from "../tools/plan-mode.js";
import { createJsonState } from "./json-state.js";

/** What an agent works by, and what a resumed session has again: its list, its plan, the skills that it uses. */
export interface SessionState {
  readonly todos: MemoryTodos;
  /** Makes the main thread's list last; subagents' lists end with them. */
  readonly saveTodos: (list: readonly Todo[], agentId: string | undefined) => Promise<void>;
  readonly planMode: PlanMode;
  readonly invoked: MemoryInvokedSkills;
  /** Resolves when everything is on the disk. */
  readonly idle: () => Promise<void>;
}

/** Reads what the folder of the session holds. Never rejects. */
export async function openSessionState(folder: string, mode: string): Promise<SessionState> {
  const todosFile = createJsonState(join(folder, "todos.json"), isTodo);
  const skillsFile = createJsonState(join(folder, "skills.json"), isInvokedSkill);
  const skills = createMemoryInvokedSkills();
  for (const skill of await skillsFile.load()) skills.note(skill);
  return {
    todos: createMemoryTodos(await todosFile.load()),
    async saveTodos(list, agentId) {
      if (agentId === undefined) await todosFile.save(list);
    },
    planMode: createPlanMode({ path: join(folder, "plan.md"), mode }),
    invoked: {
      invoked: (agentId) => skills.invoked(agentId),
      note(skill) {
        skills.note(skill);
        if (skill.agentId !== undefined) return;
        // What cannot be saved holds for this session all the same.
        void skills
          .invoked(undefined)
          .then((list) => skillsFile.save(list))
          .catch(() => {});
      },
    },
    async idle() {
      await todosFile.idle();
      // The list is asked for before it is saved.
      await skills.invoked(undefined);
      await skillsFile.idle();
    },
  };
}

const isTodo = (item: unknown): item is Todo =>
  isFields(item) && typeof item["content"] === "string" && typeof item["status"] === "string";

const isInvokedSkill = (item: unknown): item is InvokedSkill =>
  isFields(item) &&
  ["name", "path", "content"].every((key) => typeof item[key] === "string") &&
  typeof item["invokedAt"] === "number" &&
  item["agentId"] === undefined;

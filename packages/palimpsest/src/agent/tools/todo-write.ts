import type { MemoryTodos, Todo } from "@palimpsest/core/restore";
import type { AgentTool } from "../base/tool.js";

export interface TodoWriteOptions {
  /** Where the lists are kept; the engine restores them from here. */
  readonly todos: MemoryTodos;
  /** Makes a list last. Called for one list at a time; one that fails is told to the model. */
  readonly save?: (todos: readonly Todo[], agentId: string | undefined) => Promise<void>;
}

/** The agent's own to-do list: each call replaces it. */
export function createTodoWriteTool({ todos, save }: TodoWriteOptions): AgentTool {
  let saving: Promise<unknown> = Promise.resolve();
  return {
    definition: {
      name: "TodoWrite",
      description: `Keeps your list of tasks for this session; the person sees it. Every call gives the whole list anew.
- For work of three or more steps, or several tasks. Not for a single simple one.
- One item is in_progress while you work; mark it completed as soon as it is done, and not while tests fail or something is missing.`,
      input_schema: {
        type: "object",
        properties: {
          todos: {
            type: "array",
            description: "The whole list.",
            items: {
              type: "object",
              properties: {
                content: { type: "string", minLength: 1, description: "What is to be done: Run the tests." },
                status: { type: "string", enum: ["pending", "in_progress", "completed"] },
                activeForm: {
                  type: "string",
                  description: "The same while it is being done: Running the tests.",
                },
              },
              required: ["content", "status"],
              additionalProperties: false,
            },
          },
        },
        required: ["todos"],
        additionalProperties: false,
      },
    },
    // It changes nothing but the agent's own notes.
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(input, { agentId }) {
      // The schema was checked before.
      const list = input["todos"] as readonly Todo[];
      if (agentId === undefined) todos.set(list);
      else todos.set(list, agentId);
      const isSaved = save === undefined ? Promise.resolve() : saving.then(() => save(list, agentId));
      saving = isSaved.catch(() => {});
      try {
        await isSaved;
      } catch {
        return { content: `${summary(list)} It could not be saved to disk; it holds for this session.` };
      }
      return { content: summary(list) };
    },
  };
}

function summary(list: readonly Todo[]): string {
  if (list.length === 0) return "The list is empty now.";
  const count = (status: string): number => list.filter((todo) => todo.status === status).length;
  const current = list.find(({ status }) => status === "in_progress")?.content;
  const counts = `${count("completed")} completed, ${count("in_progress")} in progress, ${count("pending")} pending`;
  return `The list is updated: ${counts}.${current === undefined ? "" : ` Now: ${current}`}`;
}

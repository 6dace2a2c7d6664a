import type { Attachment } from "@palimpsest/core";
import { createMemoryTodos, type Todo, type TodoSource } from "@palimpsest/core/restore";
import { asFieldsList, asText, type Fields } from "../readers/recording.js";
import type { RecordedCall } from "./recorded-call.js";

/** The to-do list of a recording: written as a whole, or task by task. */
export interface RecordedTodos {
  readonly source: TodoSource;
  readonly answered: (call: RecordedCall) => void;
  /** A reminder that tells the whole list. */
  readonly attached: (attachment: Attachment) => void;
}

const MOST_ITEMS = 500;
const LISTS: ReadonlySet<string> = new Set(["todo", "todo_reminder", "task_reminder"]);

export function createRecordedTodos(): RecordedTodos {
  const source = createMemoryTodos();
  let todos: readonly Todo[] = [];
  const set = (next: readonly Todo[]): void => {
    todos = next.slice(0, MOST_ITEMS);
    source.set(todos);
  };
  return {
    source,
    answered({ name, input, text = "", isError }) {
      if (isError) return;
      if (name === "TodoWrite" || name === "todowrite" || name === "write_todos") {
        if (Array.isArray(input["todos"])) set(todosIn(input["todos"]));
      } else if (name === "update_plan") {
        if (Array.isArray(input["plan"])) set(todosIn(input["plan"]));
      } else if (name === "TaskCreate") {
        const id = /^Task #(\w{1,20}) created/.exec(text)?.[1];
        const content = asText(input["subject"]);
        if (id !== undefined && content !== "") set([...todos, { id, content, status: "pending" }]);
      } else if (name === "TaskUpdate") {
        set(updated(todos, input));
      }
    },
    attached({ type, content }) {
      if (!LISTS.has(type)) return;
      const listed = todosIn(content);
      if (listed.length > 0) set(listed);
    },
  };
}

/** Items under the names that agents give to their parts; what is none is passed over. */
const todosIn = (list: unknown): readonly Todo[] =>
  asFieldsList(list)
    .slice(0, MOST_ITEMS)
    .flatMap((item) => {
      const content = ["content", "step", "subject", "description"]
        .map((name) => asText(item[name]))
        .find(Boolean);
      const id = item["id"];
      if (content === undefined) return [];
      const status = asText(item["status"]) || "pending";
      return [{ ...(typeof id === "string" ? { id } : {}), content, status }];
    });

function updated(todos: readonly Todo[], input: Fields): readonly Todo[] {
  const id = input["taskId"];
  const [status, subject] = [asText(input["status"]), asText(input["subject"])];
  if (status === "deleted") return todos.filter((todo) => todo["id"] !== id);
  return todos.map((todo) =>
    todo["id"] === id ? { ...todo, content: subject || todo.content, status: status || todo.status } : todo,
  );
}

import type { RequestMessage } from "@palimpsest/core";

export interface SeenTodo {
  readonly content: string;
  readonly status: string;
}

const RESTORED = "The to-do list as it stands:";
const ITEM = /^- \[(\w+)\] (.+)$/;

/** The to-do list that a request shows last: in a call, or as it was restored. */
export function newestTodos(messages: readonly RequestMessage[]): readonly SeenTodo[] | undefined {
  let newest: readonly SeenTodo[] | undefined;
  for (const { content } of messages) {
    for (const block of typeof content === "string" ? [] : content) {
      if (block.type === "tool_use" && block.name === "TodoWrite") newest = todosOf(block.input);
      else if (block.type === "text" && block.text.includes(RESTORED)) newest = restoredTodos(block.text);
    }
  }
  return newest;
}

/** The same items with the same states in the same order. */
export function sameTodos(stored: unknown, shown: readonly SeenTodo[] | undefined): boolean {
  if (!Array.isArray(stored) || stored.length === 0 || shown?.length !== stored.length) return false;
  return stored.every((item: unknown, index) => {
    const { content, status } = item as SeenTodo;
    return shown[index]?.content === content && shown[index].status === status;
  });
}

function todosOf(input: unknown): readonly SeenTodo[] {
  const todos = (input as { readonly todos?: unknown }).todos;
  return Array.isArray(todos) ? (todos as readonly SeenTodo[]) : [];
}

const restoredTodos = (text: string): readonly SeenTodo[] =>
  text
    .slice(text.indexOf(RESTORED))
    .split("\n")
    .flatMap((line) => {
      const [, status, content] = ITEM.exec(line) ?? [];
      return status === undefined || content === undefined ? [] : [{ status, content }];
    });

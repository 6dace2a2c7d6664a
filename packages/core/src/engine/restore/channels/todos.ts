import type { Attachment } from "../../../messages/message.js";
import type { Todo } from "../ports/todo-source.js";

/** All items of the persisted list; none for an empty one. */
export function todoAttachment(todos: readonly Todo[]): Attachment | undefined {
  if (todos.length === 0) return undefined;
  return { type: "todo", content: todos, itemCount: todos.length, context: "post-compact" };
}

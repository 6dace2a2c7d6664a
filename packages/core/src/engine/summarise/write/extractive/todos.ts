import { asText, isFields, type Fields } from "../../../../messages/fields.js";

/** One thing to do, as agents note them. */
export interface Todo {
  readonly content: string;
  readonly status: string;
}

/** Where calls have their list. */
export const CALL_LISTS = ["todos", "plan"] as const;
/** Where notices have it. */
export const NOTICE_LISTS = ["content", "items"] as const;
const CONTENT_FIELDS = ["content", "step", "subject", "title", "task", "text", "description"] as const;
const CLOSED = /^(?:completed?|done|deleted|cancell?ed|closed|skipped)$/i;

/** Follows the to-do list through the calls and notices of a conversation. */
export class TodoTracker {
  #todos: Map<string, Todo> = new Map();

  /** A list that a call or a notice writes in full; whatever holds none changes nothing. */
  replace(fields: Fields, names: readonly string[]): void {
    const list = names.map((name) => fields[name]).find((value) => isTodoList(value));
    if (!Array.isArray(list)) return;
    this.#todos = new Map(
      list.filter(isFields).map((entry, index) => [asText(entry["id"]) || `#${index}`, todoOf(entry)]),
    );
  }

  /** One task that was made, with what the tool answered: its number. */
  create(input: Fields, answer: string): void {
    const id = /#(\d+)/.exec(answer.slice(0, 200))?.[1] ?? `new ${this.#todos.size}`;
    if (asText(input["subject"]) !== "") this.#todos.set(id, { ...todoOf(input), status: "pending" });
  }

  /** One task that was changed. */
  update(input: Fields): void {
    const id = asText(input["taskId"]);
    const known = this.#todos.get(id);
    if (known === undefined) return;
    const content = asText(input["subject"]) || known.content;
    this.#todos.set(id, { content, status: asText(input["status"]) || known.status });
  }

  open(): readonly Todo[] {
    return openTodos([...this.#todos.values()]);
  }
}

export const openTodos = (todos: readonly Todo[]): readonly Todo[] =>
  todos.filter(({ content, status }) => content.trim() !== "" && !CLOSED.test(status));

const isTodoList = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (entry) => isFields(entry) && typeof entry["status"] === "string" && todoOf(entry).content !== "",
  );

const todoOf = (entry: Fields): Todo => ({
  content: CONTENT_FIELDS.map((name) => asText(entry[name])).find((text) => text !== "") ?? "",
  status: asText(entry["status"]),
});

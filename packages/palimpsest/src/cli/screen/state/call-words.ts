import { asFields } from "@palimpsest/core/engine";
import { shownLine, shownText } from "../text/shown-text.js";
import type { PreviewLine } from "./item.js";

const LONGEST_ABOUT = 300;
/** Fields that say what a call is about, the best first. */
const TELLING = ["command", "file_path", "pattern", "url", "query", "skill", "description", "prompt", "path"];

/** A call's input on one line. */
export function aboutCall(input: unknown): string {
  const fields = asFields(input);
  const [question] = Array.isArray(fields["questions"]) ? (fields["questions"] as readonly unknown[]) : [];
  const asked = asFields(question)["question"];
  if (typeof asked === "string") return aboutText(asked);
  const { plan } = fields;
  if (typeof plan === "string") return aboutText(/[^#\s].*/.exec(plan)?.[0] ?? "");
  if (Array.isArray(fields["todos"])) return aboutTodos(fields["todos"]);
  const telling = TELLING.map((name) => fields[name]).find(
    (value) => typeof value === "string" && value !== "",
  );
  const text =
    typeof telling === "string" ? telling : Object.keys(fields).length === 0 ? "" : JSON.stringify(fields);
  return aboutText(text);
}

const aboutText = (text: string): string =>
  shownLine(text.slice(0, LONGEST_ABOUT + 1)).slice(0, LONGEST_ABOUT);

function aboutTodos(todos: readonly unknown[]): string {
  const done = todos.filter((todo) => asFields(todo)["status"] === "completed").length;
  return `${done} of ${todos.length} done`;
}

/** The tasks of a list, as people tick them off. */
const todoLines = (todos: readonly unknown[]): readonly PreviewLine[] =>
  todos.map((todo) => {
    const { status, content } = asFields(todo);
    const mark = status === "completed" ? "[x]" : status === "in_progress" ? "[>]" : "[ ]";
    return { text: `${mark} ${shownLine(typeof content === "string" ? content : "")}` };
  });

/** What an edit changes, line by line; undefined for calls that are no edits. */
export function changeOf(name: string, input: unknown): readonly PreviewLine[] | undefined {
  const fields = asFields(input);
  const lines = (value: unknown, change: "added" | "removed"): readonly PreviewLine[] =>
    typeof value !== "string" || value === ""
      ? []
      : shownText(value.replace(/\n$/, ""))
          .split("\n")
          .map((text) => ({ text, change }));
  if (name === "Edit") {
    const before = lines(fields["old_string"], "removed");
    const after = lines(fields["new_string"], "added");
    return withoutCommonEnds(before, after);
  }
  if (name === "Write") return lines(fields["content"], "added");
  if (name === "TodoWrite" && Array.isArray(fields["todos"])) return todoLines(fields["todos"]);
  return undefined;
}

/** Lines that both begin or end with are no change. One of them stays on each side, for orientation. */
function withoutCommonEnds(
  before: readonly PreviewLine[],
  after: readonly PreviewLine[],
): readonly PreviewLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head]?.text === after[head]?.text) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail]?.text === after[after.length - 1 - tail]?.text
  )
    tail += 1;
  const around = (line: PreviewLine | undefined): readonly PreviewLine[] =>
    line === undefined ? [] : [{ text: line.text }];
  return [
    ...(head > 0 ? around(before[head - 1]) : []),
    ...before.slice(head, before.length - tail),
    ...after.slice(head, after.length - tail),
    ...(tail > 0 ? around(before[before.length - tail]) : []),
  ];
}

/** The text of a tool's result. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) => {
      const { type, text } = asFields(block);
      return typeof text === "string" ? text : `[${typeof type === "string" ? type : "?"}]`;
    })
    .join("\n");
}

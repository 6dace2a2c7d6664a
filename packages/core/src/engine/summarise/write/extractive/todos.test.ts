import { expect, it } from "vitest";
import { CALL_LISTS, TodoTracker } from "./todos.js";

const open = (tracker: TodoTracker): readonly string[] =>
  tracker.open().map(({ content, status }) => `${status}: ${content}`);

it("follows lists that are written in full", () => {
  const tracker = new TodoTracker();
  tracker.replace(
    {
      todos: [
        { content: "a", status: "completed" },
        { content: "b", status: "in_progress" },
      ],
    },
    CALL_LISTS,
  );
  tracker.replace({ plan: "not a list" }, CALL_LISTS);
  tracker.replace({ todos: [] }, CALL_LISTS);
  tracker.replace({ todos: [{ content: "no status" }] }, CALL_LISTS);
  expect(open(tracker)).toEqual(["in_progress: b"]);
  tracker.replace(
    {
      plan: [
        { step: "c", status: "pending" },
        { step: "d", status: "cancelled" },
      ],
    },
    CALL_LISTS,
  );
  expect(open(tracker)).toEqual(["pending: c"]);
});

it("follows tasks that are made and changed one by one", () => {
  const tracker = new TodoTracker();
  tracker.create({ subject: "first" }, "Task #1 created successfully: first");
  tracker.create({ subject: "second" }, "Task #2 created successfully: second");
  tracker.update({ taskId: "1", status: "completed" });
  tracker.update({ taskId: "2", subject: "second, renamed", status: "in_progress" });
  tracker.update({ taskId: "9", status: "completed" });
  expect(open(tracker)).toEqual(["in_progress: second, renamed"]);
});

import type { RequestMessage } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { restoredFiles, seeInPrompt } from "./seen-in-prompt.js";
import { newestTodos, sameTodos } from "./seen-todos.js";

const RULE = "every file you create begins with the line `// kept: amber-1`, because";

const read = (id: string, content: string): readonly RequestMessage[] => [
  { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: { file_path: "src/a.ts" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
];

describe("what the demo's model can know", () => {
  it("the person's instruction, wherever it is quoted, and never a file's", () => {
    const said: RequestMessage = {
      role: "user",
      content: [{ type: "text", text: `6. Said:\n   - ${RULE}` }],
    };
    expect(seeInPrompt([said], "/w").keptLine).toBe("// kept: amber-1");
    expect(seeInPrompt(read("a", `1\t${RULE}`), "/w").keptLine).toBeUndefined();
  });

  it("a file from its newest read, unless that was cleared", () => {
    const shown = [...read("a", "1\told"), ...read("b", "1\tnew\n2\tmore")];
    expect(seeInPrompt(shown, "/w").fileText("src/a.ts")).toBe("1\tnew\n2\tmore");
    const cleared = [...shown, ...read("c", "[Old tool result content cleared]")];
    expect(seeInPrompt(cleared, "/w").fileText("src/a.ts")).toBeUndefined();
  });

  it("a restored file, and whether all of it is there", () => {
    const text = "The file /w/src/a.ts, read again from disk:\n```\n1\tx\n```\n";
    const cut =
      "The file /w/src/a.ts, read again from disk, in parts\n" +
      "lines 9 to 10:\n````\nlines 3 to 4:\n```\n````\nlines 20 to 20:\n```\nx\n```\n";
    expect(restoredFiles(text)).toEqual([{ path: "/w/src/a.ts", text: "1\tx", isWhole: true }]);
    expect(restoredFiles(cut)).toEqual([
      { path: "/w/src/a.ts", text: "9\tlines 3 to 4:\n10\t```\n20\tx", isWhole: false },
    ]);
    const whole: RequestMessage = { role: "user", content: [{ type: "text", text }] };
    const part: RequestMessage = { role: "user", content: [{ type: "text", text: cut }] };
    expect(seeInPrompt([whole], "/w").fileText("src/a.ts")).toBe("1\tx");
    expect(seeInPrompt([part], "/w").fileText("src/a.ts")).toBeUndefined();
  });

  it("the to-do list that stands last, whether it was called or restored", () => {
    const todos = [
      { content: "one", status: "completed" },
      { content: "two", status: "pending" },
    ];
    const called: RequestMessage = {
      role: "assistant",
      content: [{ type: "tool_use", id: "t", name: "TodoWrite", input: { todos } }],
    };
    const restored: RequestMessage = {
      role: "user",
      content: [{ type: "text", text: "The to-do list as it stands:\n- [completed] one\n- [pending] two" }],
    };
    expect(sameTodos(todos, newestTodos([called]))).toBe(true);
    expect(sameTodos(todos, newestTodos([called, restored]))).toBe(true);
    expect(sameTodos([...todos].toReversed(), newestTodos([restored]))).toBe(false);
    expect(sameTodos(todos, newestTodos([]))).toBe(false);
  });
});

import fc from "fast-check";
import { describe, it } from "vitest";
import type { Message } from "@palimpsest/core";
import { checkProperty } from "../../testing/check-property.js";
import type { AnswerBlock } from "../../simulator/player.js";
import { createRecordedWorld } from "./recorded-world.js";

describe("hostile recordings", () => {
  const names = [
    "Read",
    "read",
    "Write",
    "Edit",
    "MultiEdit",
    "apply_patch",
    "exec_command",
    "exec",
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "update_plan",
    "ExitPlanMode",
    "Skill",
    "Agent",
  ];
  const fields = [
    "file_path",
    "path",
    "content",
    "old_string",
    "new_string",
    "edits",
    "offset",
    "limit",
    "input",
    "cmd",
    "command",
    "todos",
    "plan",
    "skill",
    "view_range",
    "taskId",
  ];
  const odd = fc.oneof(
    fc.string(),
    fc.anything(),
    fc.constantFrom("/f", "a", 1, -1, 1e300, Number.NaN, "1\ta\n2\tb", "__proto__"),
  );
  const input = fc.dictionary(fc.constantFrom(...fields), odd);

  it("nothing throws", () => {
    checkProperty(
      "hostile recordings",
      fc.array(fc.tuple(fc.constantFrom(...names), input, odd, fc.anything()), { maxLength: 4 }),
      (steps) => {
        const world = createRecordedWorld();
        for (const [index, [name, called, content, anything]] of steps.entries()) {
          const block = { type: "tool_use", id: `c${index}`, name, input: called };
          world.noteResponse([block, anything] as unknown as AnswerBlock[], 0);
          const result = { type: "tool_result", tool_use_id: `c${index}`, content };
          const messages = [
            { type: "user", message: { role: "user", content: [result, anything] } },
            { type: "user", isMeta: true, message: anything },
            { type: "attachment", attachment: anything },
            { type: "attachment", attachment: { type: "file", path: "/f", content: anything } },
            anything,
          ];
          world.note(messages as unknown as Message[], 0);
        }
      },
    );
  });
});

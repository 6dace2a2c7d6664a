import { describe, expect, it } from "vitest";
import { defaultSettings, type Message, type ToolResultContent } from "@palimpsest/core";
import { createDefaultEstimator } from "@palimpsest/core/engine";
import { restore } from "@palimpsest/core/restore";
import type { AnswerBlock } from "../../simulator/player.js";
import { createRecordedWorld, type RecordedWorld, type RecordedWorldOptions } from "./recorded-world.js";

type Result = string | readonly ToolResultContent[];

const base = { parentUuid: null, timestamp: "2026-01-01T00:00:00.000Z", sessionId: "s" };

/** A world with a way to have tools called. */
function createPlayed(options?: RecordedWorldOptions) {
  const world = createRecordedWorld(options);
  let calls = 0;
  const note = (message: object): void =>
    world.note([{ ...base, uuid: `u${calls}`, ...message } as Message], Date.parse(base.timestamp) + 1000);
  const call = (name: string, input: Record<string, unknown>, result: Result, isError = false): string => {
    const id = `call_${(calls += 1)}`;
    world.noteResponse([{ type: "tool_use", id, name, input }], 0);
    const block = {
      type: "tool_result",
      tool_use_id: id,
      content: result,
      ...(isError ? { is_error: true } : {}),
    };
    note({ type: "user", message: { role: "user", content: [block] } });
    return id;
  };
  const attach = (attachment: object): void => note({ type: "attachment", attachment });
  return { world, call, note, attach };
}

async function textOf({ state }: RecordedWorld, path: string, part = {}): Promise<string> {
  const outcome = await state.ports.files?.read(path, { isNumbered: false, ...part });
  return outcome?.kind === "text" ? outcome.content : `<${outcome?.kind}>`;
}

const recordOf = ({ state }: RecordedWorld, path: string) => {
  const {
    timestamp: _,
    mtime: __,
    ...part
  } = state.readState.get(path) ?? { timestamp: 0, mtime: 0, isUnknown: true };
  return part;
};

const NUMBERED = "     1→a\n     2→b\n     3→c\n     4→";

describe("files of a recorded world", () => {
  it.each([
    ["Read", { file_path: "/w/f" }, NUMBERED],
    ["Read", { file_path: "/w/f" }, [{ type: "text", text: "1\ta\n2\tb\n3\tc\n4\t" }]],
    ["read", { path: "/w/f" }, "a\nb\nc\n"],
    ["read_file", { file_path: "f" }, "a\nb\nc\n"],
    ["read_file", { absolute_path: "/w/./x/../f" }, "a\nb\nc\n"],
    ["exec_command", { cmd: "cat f", workdir: "/w" }, "Process exited with code 0\nOutput:\na\nb\nc\n"],
    ["exec_command", { cmd: "sed -n '1,9p' /w/f" }, "Process exited with code 0\nOutput:\na\nb\nc\n"],
    [
      "shell",
      { command: ["bash", "-lc", "nl -ba f"], workdir: "/w" },
      "Exit code: 0\nOutput:\n     1\ta\n     2\tb\n     3\tc\n",
    ],
  ] satisfies [string, Record<string, unknown>, Result][])(
    "%s %j shows the whole file",
    async (name, input, result) => {
      const { world, call } = createPlayed({ workingDirectory: "/w" });
      call(name, input, result);
      expect(await textOf(world, "/w/f")).toBe("a\nb\nc");
      expect(world.state.readState.get("/w/f")).toMatchObject({ timestamp: Date.parse(base.timestamp) });
      expect(world.counts()).toMatchObject({ reads: 1, notedReads: 1 });
    },
  );

  it.each([
    ["Read", { file_path: "/f", offset: 5, limit: 2 }, "5\te\n6\tf", { offset: 5, limit: 2 }],
    ["Read", { file_path: "/f", offset: "5" }, "5\te\n6\tf", { offset: 5 }],
    ["Read", { file_path: "/f", limit: 9 }, "1\te\n2\tf", {}],
    [
      "read",
      { path: "/f", offset: 5, limit: 2 },
      "e\nf\n\n[9 more lines in file. Use offset=7 to continue]",
      { offset: 5, limit: 2 },
    ],
    [
      "read",
      { path: "/f" },
      "e\nf\n\n[Showing lines 1-2 of 9 (50.0KB limit). Use offset=3 to continue]",
      { offset: 1, limit: 2, isCut: true },
    ],
    ["read_file", { file_path: "/f", offset: 4, limit: 2 }, "e\nf", { offset: 5, limit: 2 }],
    ["read_file", { file_path: "/f", start_line: 5, end_line: 6 }, "e\nf", { offset: 5, limit: 2 }],
    ["view", { path: "/f", view_range: [5, 6] }, "e\nf", { offset: 5, limit: 2 }],
    [
      "exec_command",
      { cmd: "sed -n '5,6p' /f" },
      "Process exited with code 0\nOutput:\ne\nf\n",
      { offset: 5, limit: 2 },
    ],
  ] satisfies [string, Record<string, unknown>, Result, object][])(
    "%s %j shows a part",
    async (name, input, result, part) => {
      const { world, call } = createPlayed();
      call(name, input, result);
      expect(recordOf(world, "/f")).toEqual(part);
      expect(await textOf(world, "/f", part)).toBe("e\nf");
    },
  );

  it("one command that shows several files, and two parts of one", async () => {
    const { world, call } = createPlayed({ workingDirectory: "/w" });
    const cmd = "sed -n '1,2p' f && sed -n '5,6p' f && head -n 1 g";
    call("exec_command", { cmd }, "Process exited with code 0\nOutput:\na\nb\ne\nf\nx\n");
    expect(await textOf(world, "/w/f", { offset: 1, limit: 2 })).toBe("a\nb");
    expect(await textOf(world, "/w/f", { offset: 5, limit: 2 })).toBe("e\nf");
    expect(await textOf(world, "/w/g", { offset: 1, limit: 1 })).toBe("x");
    // Shown at the same time: none of it was shown last.
    expect(recordOf(world, "/w/f")).toEqual({ limit: 6 });
    call("exec_command", { cmd }, "Process exited with code 0\nOutput:\na\nb\ne\n");
    expect(world.counts().reads).toBe(3);
  });

  it.each([
    ["an error", { file_path: "/f" }, "no such file", true],
    [
      "a picture",
      { file_path: "/f" },
      [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }],
      false,
    ],
    [
      "a warning",
      { file_path: "/f", offset: 99 },
      "<system-reminder>shorter than the offset</system-reminder>",
      false,
    ],
    ["no path", { path: 7 }, NUMBERED, false],
    ["a very long path", { file_path: "x".repeat(5000) }, NUMBERED, false],
  ] satisfies [string, Record<string, unknown>, Result, boolean][])(
    "%s shows nothing",
    (_, input, result, isError) => {
      const { world, call } = createPlayed();
      call("Read", input, result, isError);
      expect(world.state.readState.snapshot().reads).toEqual([]);
    },
  );

  it("a failed read is remembered of a known file, an unchanged one renews it", () => {
    const { world, call } = createPlayed();
    call("Read", { file_path: "/a" }, NUMBERED);
    call("Read", { file_path: "/b" }, NUMBERED);
    call("Read", { file_path: "/a" }, "File unchanged since last read.");
    call("Read", { file_path: "/b" }, "denied", true);
    const { reads } = world.state.readState.snapshot();
    expect(reads.map(({ path, hasFailed }) => [path, hasFailed])).toEqual([
      ["/a", undefined],
      ["/b", true],
    ]);
  });

  it.each([
    ["Write", { file_path: "/f", content: "x\ny\n" }],
    ["write", { path: "/f", content: "x\ny\n" }],
    ["write_file", { file_path: "f", content: "x\ny\n" }],
    ["Edit", { file_path: "/f", old_string: "", new_string: "x\ny\n" }],
  ])("%s sets a file", async (name, input) => {
    const { world, call } = createPlayed();
    call(name, input, "done");
    expect(await textOf(world, "/f")).toBe("x\ny");
    expect(recordOf(world, "/f")).toEqual({});
    call(name, { ...input, content: "no", new_string: "no" }, "rejected", true);
    expect(await textOf(world, "/f")).toBe("x\ny");
  });

  it.each([
    ["Edit", { file_path: "/f", old_string: "b", new_string: "B\nB" }, "a\nB\nB\nc\na"],
    ["Edit", { file_path: "/f", old_string: "a", new_string: "A", replace_all: true }, "A\nb\nc\nA"],
    ["edit", { path: "/f", oldText: "b\nc", newText: "$&" }, "a\n$&\na"],
    [
      "replace",
      { file_path: "/f", old_string: "a", new_string: "A", expected_replacements: 2 },
      "A\nb\nc\nA",
    ],
    [
      "MultiEdit",
      {
        file_path: "/f",
        edits: [
          { old_string: "b", new_string: "d" },
          { old_string: "d\n", new_string: "" },
        ],
      },
      "a\nc\na",
    ],
    ["Edit", { file_path: "/f", old_string: "missing", new_string: "x" }, "a\nb\nc\na"],
    ["Edit", { file_path: "/f", old_string: "a", new_string: "ambiguous" }, "a\nb\nc\na"],
    ["Edit", { file_path: "/f", old_string: 1, new_string: null }, "a\nb\nc\na"],
  ])("%s %j", async (name, input, text) => {
    const { world, call } = createPlayed();
    call("Write", { file_path: "/f", content: "a\nb\nc\na\n" }, "done");
    call(name, input, "done");
    expect(await textOf(world, "/f")).toBe(text);
  });

  it("an edit of a part is remembered as that part, one of an unknown file makes nothing up", async () => {
    const { world, call } = createPlayed();
    call("Read", { file_path: "/f", offset: 5, limit: 2 }, "5\te\n6\tf");
    call("Edit", { file_path: "/f", old_string: "f", new_string: "F\nG" }, "done");
    call("Edit", { file_path: "/g", old_string: "f", new_string: "F" }, "done");
    expect(recordOf(world, "/f")).toEqual({ offset: 5, limit: 3 });
    expect(await textOf(world, "/f", { offset: 5, limit: 3 })).toBe("e\nF\nG");
    expect(await textOf(world, "/g")).toBe("<gone>");
    expect(world.counts()).toMatchObject({ edits: 2, followedEdits: 1, unknownEdits: 1 });
  });

  it("a patch adds, updates, moves and deletes", async () => {
    const { world, call } = createPlayed({ workingDirectory: "/w" });
    call("write_file", { file_path: "/w/u", content: "a\nb\nc\n" }, "done");
    call("write_file", { file_path: "/w/d", content: "x\n" }, "done");
    const patch =
      "*** Begin Patch\n*** Add File: n\n+one\n+two\n*** Update File: /w/u\n*** Move to: /w/v\n@@\n a\n-b\n+B\n@@ x\n c\n+d\n*** Delete File: d\n*** End Patch\n";
    call(
      "apply_patch",
      { input: patch },
      "Exit code: 0\nOutput:\nSuccess. Updated the following files:\nM u\n",
    );
    expect(await Promise.all(["/w/n", "/w/u", "/w/v", "/w/d"].map((path) => textOf(world, path)))).toEqual([
      "one\ntwo",
      "<gone>",
      "a\nB\nc\nd",
      "<gone>",
    ]);
    call("apply_patch", { input: patch }, "patch failed");
    expect(await textOf(world, "/w/u")).toBe("<gone>");
  });

  it("the reads, edits and patches of OpenCode are followed", async () => {
    const { world, call } = createPlayed({ workingDirectory: "/w" });
    call(
      "read",
      { filePath: "/w/a.ts" },
      "<path>/w/a.ts</path>\n<type>file</type>\n<content>1: one\n2: two\n3: end\n\n(End of file - total 3 lines)\n</content>",
    );
    expect(await textOf(world, "/w/a.ts")).toBe("one\ntwo\nend");
    call("edit", { filePath: "/w/a.ts", oldString: "o", newString: "0", replaceAll: true }, "done");
    expect(await textOf(world, "/w/a.ts")).toBe("0ne\ntw0\nend");
    call(
      "apply_patch",
      { patchText: "*** Begin Patch\n*** Update File: /w/a.ts\n@@\n-0ne\n+1\n tw0\n*** End Patch" },
      "Success. Updated the following files:\nM a.ts",
    );
    expect(await textOf(world, "/w/a.ts")).toBe("1\ntw0\nend");
    expect(world.counts()).toMatchObject({ edits: 2, followedEdits: 2, unknownEdits: 0 });
  });

  it("files that the program attached are known too", async () => {
    const { world, attach } = createPlayed();
    attach({
      type: "file",
      filename: "/a",
      content: { type: "text", file: { content: "x\ny", startLine: 1, numLines: 2, totalLines: 2 } },
    });
    attach({ type: "edited_text_file", filename: "/a", snippet: "2\tY" });
    attach({ type: "file", path: "/b", content: "1\tz" });
    attach({ type: "file", path: "/c", content: 7 });
    attach({
      type: "file",
      path: "/d",
      content: [
        { startLine: 1, endLine: 2, content: "[line 1]\n3\tx" },
        { startLine: 9.5, content: "no" },
        null,
      ],
    });
    expect(await textOf(world, "/a")).toBe("x\nY");
    expect(await textOf(world, "/b")).toBe("z");
    expect(await textOf(world, "/d")).toBe("[line 1]\n3\tx");
    expect(world.state.readState.snapshot().reads.map(({ path }) => path)).toEqual(["/d", "/b", "/a"]);
  });

  it("the least recently used go, from the read-state too", () => {
    const { world, call } = createPlayed({ maxFiles: 3 });
    for (const name of ["a", "b", "c", "a", "d"]) call("Read", { file_path: `/${name}` }, NUMBERED);
    expect(world.state.readState.snapshot().reads.map(({ path }) => path)).toEqual(["/d", "/a", "/c"]);
  });

  it("a result that comes late finds its call, one of a sidechain does not count", async () => {
    const { world, note } = createPlayed();
    const call: AnswerBlock = { type: "tool_use", id: "late", name: "Read", input: { file_path: "/f" } };
    world.noteResponse([call], 0);
    world.noteResponse([{ type: "text", text: "meanwhile" }], 0);
    const content = [{ type: "tool_result", tool_use_id: "late", content: NUMBERED }];
    note({ type: "user", isSidechain: true, message: { role: "user", content } });
    expect(await textOf(world, "/f")).toBe("<gone>");
    note({ type: "user", message: { role: "user", content } });
    expect(await textOf(world, "/f")).toBe("a\nb\nc");
  });

  it("what is huge is not kept, and calls without results do not pile up", () => {
    const { world, call } = createPlayed();
    call("Write", { file_path: "/huge", content: "x".repeat(20_000_001) }, "done");
    for (let index = 0; index < 1000; index += 1) {
      world.noteResponse(
        [{ type: "tool_use", id: `x${index}`, name: "Read", input: { file_path: "/f" } }],
        0,
      );
    }
    for (let index = 0; index < 300; index += 1)
      call("Write", { file_path: `/f${index}`, content: "x" }, "done");
    expect(world.state.readState.snapshot().reads).toHaveLength(200);
    expect(world.state.readState.has("/huge")).toBe(false);
  });
});

describe("other state of a recorded world", () => {
  const todosOf = ({ state }: RecordedWorld) => state.ports.todos?.todos(undefined);
  const planOf = ({ state }: RecordedWorld) => state.ports.plan?.plan(undefined);

  it.each([
    ["TodoWrite", { todos: [{ content: "one", status: "completed", activeForm: "x" }, 7, { content: 8 }] }],
    ["update_plan", { plan: [{ step: "one", status: "completed" }] }],
    ["write_todos", { todos: [{ description: "one", status: "completed" }] }],
  ])("%s sets the to-do list", async (name, input) => {
    const { world, call } = createPlayed();
    call(name, input, "done");
    expect(await todosOf(world)).toEqual([{ content: "one", status: "completed" }]);
    call(name, { todos: [], plan: [] }, "rejected", true);
    call(name, { todos: "none", plan: 1 }, "done");
    expect(await todosOf(world)).toHaveLength(1);
  });

  it("tasks are created, updated, deleted, and told by reminders", async () => {
    const { world, call, attach } = createPlayed();
    call("TaskCreate", { subject: "one", description: "d" }, "Task #1 created successfully: one");
    call("TaskCreate", { subject: "two" }, "Task #2 created successfully: two");
    call("TaskUpdate", { taskId: "1", status: "in_progress" }, "Updated task #1 status");
    call("TaskUpdate", { taskId: "2", status: "deleted" }, "Updated task #2 status");
    expect(await todosOf(world)).toEqual([{ id: "1", content: "one", status: "in_progress" }]);
    attach({ type: "task_reminder", content: [], itemCount: 0 });
    attach({
      type: "task_reminder",
      content: [{ id: "3", subject: "three", status: "pending" }],
      itemCount: 1,
    });
    expect(await todosOf(world)).toEqual([{ id: "3", content: "three", status: "pending" }]);
  });

  it("a plan is made, written, approved", async () => {
    const { world, call, attach } = createPlayed();
    expect(await planOf(world)).toBeUndefined();
    call("EnterPlanMode", {}, "Entered plan mode.");
    expect(await planOf(world)).toMatchObject({ isPlanMode: true });
    call("Write", { file_path: "/home/.claude/plans/calm-fox.md", content: "# Plan\n1" }, "done");
    call("Edit", { file_path: "/home/.claude/plans/calm-fox.md", old_string: "1", new_string: "2" }, "done");
    const plan = { path: "/home/.claude/plans/calm-fox.md", content: "# Plan\n2" };
    expect(await planOf(world)).toEqual({ ...plan, isPlanMode: true });
    call("ExitPlanMode", { plan: "# Plan\n3" }, "The person said no", true);
    expect(await planOf(world)).toEqual({ ...plan, isPlanMode: true });
    call("ExitPlanMode", { plan: "# Plan\n3" }, "Approved.\n\nYour plan has been saved to: /p/other.md\nGo.");
    expect(await planOf(world)).toEqual({ path: "/p/other.md", content: "# Plan\n3", isPlanMode: false });
    attach({ type: "plan_mode_reentry", planFilePath: "/p/other.md" });
    expect(await planOf(world)).toMatchObject({ isPlanMode: true });
    attach({ type: "plan_mode_exit", planFilePath: "/p/other.md", planExists: true });
    expect(await planOf(world)).toMatchObject({ isPlanMode: false });
  });

  it("a skill's text comes behind its call, or after a command of the person's", async () => {
    const { world, call, note } = createPlayed();
    const say = (text: string, sourceToolUseID?: string): void =>
      note({
        type: "user",
        isMeta: true,
        sourceToolUseID,
        message: { role: "user", content: [{ type: "text", text }] },
      });
    const id = call("Skill", { skill: "plugin:review" }, "Launching skill: plugin:review");
    say("Base directory for this skill: /skills/review\n\n# Review\nlook", id);
    call("Skill", { skill: "gone" }, "Unknown skill", true);
    say(String.raw`Base directory for this skill: C:\skills\release` + "\n\n# Release");
    say("something else");
    note({
      type: "user",
      message: { role: "user", content: "Base directory for this skill: /typed\n\nby a person" },
    });
    expect(await world.state.ports.skills?.invoked(undefined)).toMatchObject([
      { name: "plugin:review", path: "/skills/review/SKILL.md", content: "# Review\nlook" },
      { name: "release", path: String.raw`C:\skills\release\SKILL.md`, content: "# Release" },
    ]);
    expect(await world.state.ports.skills?.invoked("a subagent")).toEqual([]);
  });

  it("agents in the background are known until their results are told", async () => {
    const { world, call, note } = createPlayed();
    call(
      "Agent",
      { description: "look around" },
      "Async agent launched successfully. (internal)\nagentId: a1 (internal)",
    );
    call("Task", { description: "at once" }, "What I found\nagentId: a2");
    const agents = () => world.state.ports.backgroundAgents?.agents(undefined);
    expect(await agents()).toEqual([{ id: "a1", description: "look around", status: "running" }]);
    const told =
      "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>";
    note({ type: "user", message: { role: "user", content: told } });
    expect(await agents()).toEqual([]);
  });

  it("the engine restores it after a compaction", async () => {
    const { world, call } = createPlayed();
    call("Read", { file_path: "/f", offset: 5, limit: 2 }, "5\te\n6\tf");
    call("TodoWrite", { todos: [{ content: "one", status: "pending" }] }, "done");
    const { attachments, skipped } = await restore.gather({
      ports: world.state.ports,
      readState: world.state.readState.snapshot(),
      estimator: createDefaultEstimator({ model: "claude-opus-4-5" }),
      settings: defaultSettings,
      clock: { now: () => 0 },
    });
    expect(skipped).toEqual([]);
    expect(attachments.map(({ attachment }) => attachment)).toMatchObject([
      {
        type: "file",
        path: "/f",
        content: [{ startLine: 5, endLine: 6, content: "e\nf" }],
      },
      { type: "todo", itemCount: 1 },
    ]);
  });
});

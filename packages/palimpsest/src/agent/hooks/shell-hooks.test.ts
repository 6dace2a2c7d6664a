import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hookNames, type HookInput, type HookName, type HookProblem } from "./hooks.js";
import { readHookSettings } from "./hook-settings.js";
import { createShellHooks, type ShellHookOptions } from "./shell-hooks.js";

let directory = "";
let problems: HookProblem[] = [];

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest hooks ü-")));
  problems = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Puts a script into the directory. */
function script(name: string, lines: string): string {
  const path = join(directory, name);
  const interpreter = name.endsWith(".mjs") ? "/usr/bin/env node" : "/bin/sh";
  writeFileSync(path, `#!${interpreter}\n${lines}\n`);
  chmodSync(path, 0o755);
  return `"$CLAUDE_PROJECT_DIR"/${name}`;
}

function hooksOf(hooks: object, more: Partial<ShellHookOptions> = {}) {
  const read = readHookSettings({ hooks });
  expect(read.problems).toEqual([]);
  return createShellHooks({
    settings: read.hooks,
    cwd: directory,
    sessionId: "session-1",
    transcriptPath: "/t/session-1.jsonl",
    onProblem: (problem) => problems.push(problem),
    killGraceMs: 300,
    ...more,
  });
}

const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
const on = (name: HookName, ...commands: string[]) => ({
  [name]: [{ hooks: commands.map((c) => command(c)) }],
});
const contents = (name: string): string => readFileSync(join(directory, name), "utf8");

const call = { toolName: "Bash", toolInput: { command: "ls" }, toolUseId: "toolu_1" };
const inputs: { readonly [Name in HookName]: HookInput<Name> } = {
  PreCompact: {
    trigger: "auto",
    customInstructions: undefined,
    sessionId: "other",
    transcriptPath: undefined,
  },
  PostCompact: { trigger: "manual", summary: "Kürzer.", tokensBefore: 171_000, tokensAfter: 34_000 },
  SessionStart: { source: "resume", model: "claude-opus-5" },
  InstructionsLoaded: { filePath: "/p/AGENTS.md", memoryType: "Project", loadReason: "session_start" },
  SessionEnd: { reason: "clear" },
  Stop: { isStopHookActive: true, lastAssistantMessage: "Done." },
  SubagentStart: { agentId: "a1", agentType: "Explore" },
  SubagentStop: {
    agentId: "a1",
    agentType: "Explore",
    isStopHookActive: false,
    agentTranscriptPath: "/t/a1.jsonl",
  },
  UserPromptSubmit: { prompt: "grüße\n“an” alle 🙂", permissionMode: "plan" },
  PreToolUse: { ...call, agentId: "a1", agentType: "Explore" },
  PostToolUse: { ...call, toolResponse: { stdout: "a\nb" }, durationMs: 12 },
  PermissionRequest: { ...call, suggestions: [{ type: "setMode" }] },
};

const common = {
  session_id: "session-1",
  transcript_path: "/t/session-1.jsonl",
  permission_mode: "default",
};
const toolCall = { tool_name: "Bash", tool_input: { command: "ls" } };
const agent = { agent_id: "a1", agent_type: "Explore" };
const expectedFields: Readonly<Record<HookName, object>> = {
  PreCompact: { session_id: "other", trigger: "auto", custom_instructions: null },
  PostCompact: {
    trigger: "manual",
    compact_summary: "Kürzer.",
    tokens_before: 171_000,
    tokens_after: 34_000,
  },
  SessionStart: { source: "resume", model: "claude-opus-5" },
  InstructionsLoaded: { file_path: "/p/AGENTS.md", memory_type: "Project", load_reason: "session_start" },
  SessionEnd: { reason: "clear" },
  Stop: { stop_hook_active: true, last_assistant_message: "Done." },
  SubagentStart: agent,
  SubagentStop: { ...agent, stop_hook_active: false, agent_transcript_path: "/t/a1.jsonl" },
  UserPromptSubmit: { permission_mode: "plan", prompt: "grüße\n“an” alle 🙂" },
  PreToolUse: { ...agent, ...toolCall, tool_use_id: "toolu_1" },
  PostToolUse: { ...toolCall, tool_response: { stdout: "a\nb" }, tool_use_id: "toolu_1", duration_ms: 12 },
  PermissionRequest: { ...toolCall, permission_suggestions: [{ type: "setMode" }] },
};

describe("what a command is given", () => {
  it.each(hookNames)("%s: exactly these fields on stdin, as one line", async (name) => {
    const hooks = hooksOf(on(name, script("dump.sh", 'cat > "$PWD/stdin.json"')));
    expect(await hooks.run(name, inputs[name])).toEqual({});
    const stdin = contents("stdin.json");
    expect(stdin.endsWith("}\n")).toBe(true);
    expect(stdin.trim()).not.toContain("\n");
    expect(JSON.parse(stdin)).toEqual({
      ...common,
      cwd: directory,
      hook_event_name: name,
      ...expectedFields[name],
    });
    expect(problems).toEqual([]);
  });

  it("its environment, with the project's directory", async () => {
    const show = 'echo "$CLAUDE_PROJECT_DIR|$PALIMPSEST_PROJECT_DIR|$EXTRA|$PWD"';
    const env = { ...process.env, EXTRA: "inherited" };
    const hooks = hooksOf(on("SessionStart", show), { env, projectDirectory: "/project" });
    expect(await hooks.run("SessionStart", { source: "startup" })).toEqual({
      contexts: [`/project|/project|inherited|${directory}`],
    });
  });

  it("arguments of a program, with the project's directory put in", async () => {
    script("show.mjs", "console.log(process.argv[2])");
    const args = ["${CLAUDE_PROJECT_DIR}/show.mjs", "$HOME; echo no"];
    const hooks = hooksOf({ SessionStart: [{ hooks: [command("node", { args })] }] });
    expect(await hooks.run("SessionStart", { source: "startup" })).toEqual({ contexts: ["$HOME; echo no"] });
  });

  it("nothing where the input cannot be written down", async () => {
    const toolInput: Record<string, unknown> = {};
    toolInput["itself"] = toolInput;
    const hooks = hooksOf(on("PreToolUse", "touch ran"));
    expect(await hooks.run("PreToolUse", { ...call, toolInput })).toEqual({});
    expect(problems).toMatchObject([{ event: "PreToolUse", kind: "failed" }]);
    expect(existsSync(join(directory, "ran"))).toBe(false);
  });
});

describe("what a command says", () => {
  it("exit 0: text and JSON, from sh and from node", async () => {
    const json = script(
      "json.mjs",
      `let text = "";
       for await (const chunk of process.stdin) text += chunk;
       const { prompt } = JSON.parse(text);
       console.log(JSON.stringify({
         systemMessage: "gesehen ✓",
         hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: prompt.toUpperCase() },
       }));`,
    );
    const hooks = hooksOf(
      on("UserPromptSubmit", script("text.sh", "cat >/dev/null; echo 'Zweig: größer 🌱'"), json),
    );
    expect(await hooks.run("UserPromptSubmit", { prompt: "straße" })).toEqual({
      contexts: ["Zweig: größer 🌱", "STRASSE"],
      message: "gesehen ✓",
    });
    expect(problems).toEqual([]);
  });

  it("exit 0: more instructions for a compaction", async () => {
    const hooks = hooksOf({
      PreCompact: [
        { matcher: "auto", hooks: [command("echo Keep all paths.")] },
        { matcher: "manual", hooks: [command("echo Never.")] },
        { matcher: "*", hooks: [command("echo Be short.")] },
      ],
    });
    expect(await hooks.run("PreCompact", inputs.PreCompact)).toEqual({
      instructions: "Keep all paths.\n\nBe short.",
    });
  });

  it("exit 2: a block, with stderr as the reason", async () => {
    const guard = script(
      "guard.sh",
      `if grep -q '"command":"rm ' ; then echo "rm ist verboten" >&2; echo '{"decision":"approve"}'; exit 2; fi`,
    );
    const hooks = hooksOf({ PreToolUse: [{ matcher: "Bash", hooks: [command(guard)] }] });
    expect(await hooks.run("PreToolUse", call)).toEqual({});
    expect(await hooks.run("PreToolUse", { ...call, toolInput: { command: "rm -rf x" } })).toEqual({
      permission: { behavior: "deny", reason: "rm ist verboten" },
    });
    expect(
      await hooksOf(on("PreCompact", "echo no >&2; exit 2")).run("PreCompact", inputs.PreCompact),
    ).toEqual({
      block: "no",
    });
  });

  it("any other exit code: nothing, and it is told of", async () => {
    const hooks = hooksOf(
      on(
        "Stop",
        'echo \'{"decision":"block"}\'; echo broken >&2; exit 1',
        "no-such-command-here",
        "kill -9 $$",
      ),
    );
    expect(await hooks.run("Stop", inputs.Stop)).toEqual({});
    expect(problems.toSorted((one, other) => one.hook.localeCompare(other.hook))).toEqual([
      {
        event: "Stop",
        hook: "hooks.Stop[0].hooks[0]",
        kind: "failed",
        message: "ended with exit code 1: broken",
      },
      {
        event: "Stop",
        hook: "hooks.Stop[0].hooks[1]",
        kind: "failed",
        message: expect.stringMatching(/^ended with exit code 127: .*no-such-command-here/),
      },
      { event: "Stop", hook: "hooks.Stop[0].hooks[2]", kind: "failed", message: "was ended by SIGKILL" },
    ]);
  });

  it("JSON that is broken or wrong: nothing, and it is told of", async () => {
    const hooks = hooksOf(on("Stop", "echo '{broken}'", 'echo \'{"decision":"deny","systemMessage":"m"}\''));
    expect(await hooks.run("Stop", inputs.Stop)).toEqual({ message: "m" });
    expect(problems.map(({ kind }) => kind)).toEqual(["bad-output", "bad-output"]);
  });

  it("far too much: cut with a note", async () => {
    const hooks = hooksOf(on("SessionStart", "head -c 5000000 /dev/zero | tr '\\0' x"));
    const { contexts = [] } = await hooks.run("SessionStart", { source: "startup" });
    expect(contexts).toHaveLength(1);
    expect(contexts[0]).toMatch(/^x{10000}\n\[990,000 more characters/);
    expect(contexts[0]?.length).toBeLessThan(10_100);
  });

  it("problems hold no keys, not even where a command prints its environment", async () => {
    const printing = "env >&2; echo $SOME_API_KEY sk-ant-api03-abcdefgh >&2; exit 1 # key=k";
    const hooks = hooksOf(on("Stop", printing), {
      env: {
        PATH: process.env["PATH"],
        SOME_API_KEY: "very-secret-value",
        ANTHROPIC_AUTH_TOKEN: "other-secret-value",
      },
    });
    await hooks.run("Stop", inputs.Stop);
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toMatch(/secret-value|abcdefgh/);
    expect(problems[0]?.message).toContain("SOME_API_KEY=[redacted]");
  });
});

describe("which commands run", () => {
  const note = (word: string) => command(`echo ${word} >> ran.txt`);
  const ran = () =>
    existsSync(join(directory, "ran.txt")) ? contents("ran.txt").trim().split("\n").toSorted() : [];

  it("those whose matcher meets the event", async () => {
    const hooks = hooksOf({
      PreToolUse: [
        { matcher: "Edit|Write", hooks: [note("list")] },
        { matcher: "Edit", hooks: [note("exact")] },
        { matcher: "^Note.*", hooks: [note("expression")] },
        { matcher: "*", hooks: [note("star")] },
        { matcher: "", hooks: [note("empty")] },
        { hooks: [note("none")] },
      ],
      UserPromptSubmit: [{ matcher: "ignored", hooks: [note("prompt")] }],
    });
    await hooks.run("PreToolUse", { ...call, toolName: "Write" });
    expect(ran()).toEqual(["empty", "list", "none", "star"]);
    await hooks.run("PreToolUse", { ...call, toolName: "NotebookEdit" });
    expect(ran()).toEqual(["empty", "empty", "expression", "list", "none", "none", "star", "star"]);
    rmSync(join(directory, "ran.txt"));
    await hooks.run("PostToolUse", { ...inputs.PostToolUse, toolName: "Edit" });
    expect(ran()).toEqual([]);
    await hooks.run("UserPromptSubmit", { prompt: "x" });
    expect(ran()).toEqual(["prompt"]);
  });

  it("those whose condition is met, and on other events none that has one", async () => {
    const hooks = hooksOf(
      {
        PreToolUse: [
          {
            hooks: [
              { ...note("git"), if: "Bash(git *)" },
              { ...note("bad"), if: "broken" },
            ],
          },
        ],
        Stop: [{ hooks: [{ ...note("stop"), if: "Bash" }] }],
      },
      {
        matchesRule(rule, { toolInput }) {
          if (rule === "broken") throw new Error("no rule");
          return String(toolInput["command"]).startsWith("git ");
        },
      },
    );
    await hooks.run("PreToolUse", call);
    await hooks.run("Stop", inputs.Stop);
    expect(ran()).toEqual(["bad"]);
    await hooks.run("PreToolUse", { ...call, toolInput: { command: "git log" } });
    expect(ran()).toEqual(["bad", "bad", "git"]);
    await hooksOf({ PreToolUse: [{ hooks: [{ ...note("all"), if: "Bash(x)" }] }] }).run("PreToolUse", call);
    expect(ran()).toEqual(["all", "bad", "bad", "git"]);
  });

  it("at the same time, and one that stands twice once", async () => {
    // Each waits for the other: one after the other they would not end.
    const meet = (mine: string, other: string) =>
      `touch ${mine}; while [ ! -e ${other} ]; do sleep 0.01; done; echo ${mine}`;
    const once = "echo once >> ran.txt; echo once";
    const hooks = hooksOf({
      SessionStart: [
        { matcher: "startup", hooks: [command(meet("a", "b")), command(once)] },
        { hooks: [command(once), command(meet("b", "a")), command("echo", { args: ["once"] })] },
      ],
    });
    expect(await hooks.run("SessionStart", { source: "startup" })).toEqual({
      contexts: ["a", "once", "b", "once"],
    });
    expect(ran()).toEqual(["once"]);
  });

  it("those in the background without anybody waiting, and what they say does not count", async () => {
    const waiting = "while [ ! -e go ]; do sleep 0.02; done; echo late > late.txt; echo no >&2; exit 2";
    const slow = { ...command(waiting), async: true };
    const hooks = hooksOf({ Stop: [{ hooks: [slow] }] });
    expect(await hooks.run("Stop", inputs.Stop)).toEqual({});
    expect(existsSync(join(directory, "late.txt"))).toBe(false);
    writeFileSync(join(directory, "go"), "");
    while (!existsSync(join(directory, "late.txt"))) await sleep(20);
    expect(problems).toEqual([]);
  });
});

describe("a command that hangs", () => {
  it("is ended when its time is over; the others count", async () => {
    const hooks = hooksOf({
      UserPromptSubmit: [
        { hooks: [command("sleep 600; echo never", { timeout: 0.3 }), command("cat >/dev/null; echo here")] },
      ],
    });
    expect(await hooks.run("UserPromptSubmit", { prompt: "x" })).toEqual({ contexts: ["here"] });
    expect(problems).toEqual([
      {
        event: "UserPromptSubmit",
        hook: "hooks.UserPromptSubmit[0].hooks[0]",
        kind: "timed-out",
        message: "not done within 0.3 seconds, and ended",
      },
    ]);
  });

  it("is ended when the turn is called off, and nobody waits for that", async () => {
    const controller = new AbortController();
    const hooks = hooksOf(
      on(
        "PreToolUse",
        'echo \'{"decision":"approve"}\'',
        "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done",
      ),
      { killGraceMs: 1000 },
    );
    const running = hooks.run("PreToolUse", call, { signal: controller.signal });
    while (!existsSync(join(directory, "pid")) || contents("pid") === "") await sleep(10);
    const pid = Number(contents("pid"));
    controller.abort();
    expect(await running).toEqual({});
    // It is killed only when its grace is over.
    let isThere = existsSync(`/proc/${pid}`);
    expect(isThere).toBe(true);
    for (let tries = 0; isThere && tries < 3000; tries++) {
      await sleep(20);
      isThere = existsSync(`/proc/${pid}`);
    }
    expect(isThere).toBe(false);
    expect(await hooks.run("PreToolUse", call, { signal: controller.signal })).toEqual({});
    expect(problems).toEqual([]);
  });
});

it("a listener that throws disturbs nobody", async () => {
  const hooks = hooksOf(on("Stop", "exit 1", "echo no >&2; exit 2"), {
    onProblem: () => {
      throw new Error("bad listener");
    },
  });
  expect(await hooks.run("Stop", inputs.Stop)).toEqual({ block: "no" });
});

it("without hooks nothing is started", async () => {
  const hooks = createShellHooks({ settings: {}, cwd: "/nowhere", sessionId: "s" });
  for (const name of hookNames) expect(await hooks.run(name, inputs[name])).toEqual({});
});

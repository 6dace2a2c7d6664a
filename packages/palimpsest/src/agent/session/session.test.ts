import { defaultSettings } from "@palimpsest/core";
import { existsSync } from "node:fs";
import { readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readHookSettings } from "../hooks/hook-settings.js";
import { call, resultsIn } from "../loop/testing/loop-agent.js";
import type { ToldEngineEvent } from "./session-events.js";
import { sessionFolder } from "./session-folder.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

/** Enough to be worth a summary. */
const LONG = Array.from({ length: 1500 }, (_, at) => `Thought ${at} about the plan.`).join("\n");

const withoutMarkers = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, field: unknown) => (key === "cache_control" ? undefined : field)));

describe("a session", () => {
  it("works with real tools, and keeps everything in private files", async () => {
    await place.write("a.txt", "one\n");
    const session = await place.open([
      { calls: [call("Read", { file_path: "a.txt" })] },
      { calls: [call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" })] },
      "Done.",
    ]);
    expect((await session.say("Change it.")).result).toMatchObject({
      reason: "done",
      text: "Done.",
      turns: 3,
    });
    expect(await readFile(join(place.cwd, "a.txt"), "utf8")).toBe("two\n");
    await session.close();
    expect((await stat(session.transcriptPath)).mode & 0o077).toBe(0);
  });

  it("has an id of its own: one that is there has to be resumed, one that is not cannot be", async () => {
    const session = await place.open(["Hello."], { id: "mine" });
    await session.say("Hi.");
    await expect(place.open([], { id: "mine" })).rejects.toThrow("already");
    await expect(place.open([], { id: "mine", isResumed: true })).rejects.toThrow();
    await session.close();
    await expect(place.open([], { id: "other", isResumed: true })).rejects.toThrow("other");
    await expect(place.open([], { id: "../../mine" })).rejects.toThrow("cannot name a conversation");
    const again = await place.open(["Hello."], { id: "mine", isResumed: true });
    await again.close();
  });

  it("gets its summary from the cache of the conversation", async () => {
    await place.write("long.txt", LONG);
    const session = await place.open(
      [{ calls: [call("Read", { file_path: "long.txt" })] }, "Read.", "Nothing else."],
      { engine: { keepRecentTokens: 0 } },
    );
    await session.say("Read it.");
    await session.say("And?");
    const compacted = await session.conversation.compact();
    await session.close();
    expect(compacted).toMatchObject({ kind: "compacted", writer: "fork", failedAttempts: [] });
    expect(compacted.calls[0]?.usage.cache_read_input_tokens).toBeGreaterThan(5000);
  });

  it("goes back to before a compaction by what its transcript holds, and a resumed session goes on from there", async () => {
    await place.write("long.txt", LONG);
    const session = await place.open(
      [{ calls: [call("Read", { file_path: "long.txt" })] }, "Read.", "Again."],
      { id: "back", engine: { keepRecentTokens: 0 } },
    );
    await session.say("Read it.");
    const { live } = session.conversation;
    const before = JSON.stringify(session.conversation.requestMessages());
    await session.conversation.compact();
    expect(JSON.stringify(session.conversation.requestMessages())).not.toBe(before);
    expect(await session.conversation.rewind(live.at(-1)?.uuid ?? "")).toMatchObject({ kind: "rewound" });
    expect(JSON.stringify(session.conversation.requestMessages())).toBe(before);
    await session.say("Once more.");
    const sent = JSON.stringify(session.conversation.requestMessages());
    expect(sent).toContain("Thought 7 about");
    await session.close();
    const again = await place.open([], { id: "back", isResumed: true });
    expect(JSON.stringify(again.conversation.requestMessages())).toBe(sent);
    await again.close();
  });

  it("is not begun where a rule cannot be understood", async () => {
    const session = place.open([], {
      id: "never",
      settings: {
        ...(await settingsOf()),
        permissions: {
          allow: [{ rule: "Bash(", base: place.cwd, source: "the test" }],
          ask: [],
          deny: [],
          additionalDirectories: [],
        },
      },
    });
    await expect(session).rejects.toThrow("Bash(");
    const opened = await place.open(["Hello."], { id: "never" });
    await opened.close();
  });

  it("tells the model of memory files and skills, and attaches nested memory when it gets there", async () => {
    await place.write("CLAUDE.md", "Always say please.");
    await place.write(
      ".claude/skills/greet/SKILL.md",
      "---\nname: greet\ndescription: How to greet.\n---\nSay hi.",
    );
    await place.write("deep/CLAUDE.md", "Deep rules.");
    await place.write("deep/file.txt", "text");
    const session = await place.open([
      { calls: [call("Read", { file_path: "deep/file.txt" })] },
      { calls: [call("Read", { file_path: "deep/file.txt" })] },
      "Done.",
    ]);
    await session.say("Look.");
    const system = JSON.stringify(session.requests[0]?.system);
    expect(system).toContain("Always say please.");
    expect(system).toContain("greet: How to greet.");
    expect(system).not.toContain("Deep rules.");
    expect(JSON.stringify(session.requests[1]?.messages)).toContain("Deep rules.");
    expect(JSON.stringify(session.requests[2]?.messages).split("Deep rules.")).toHaveLength(2);
    await session.close();
  });
});

async function settingsOf() {
  const { defaultSettings } = await import("@palimpsest/core");
  return { engine: defaultSettings, hooks: {}, env: {}, files: [], warnings: [] };
}

describe("a session that is resumed", () => {
  it("sends the same request as one that was not left", async () => {
    await place.write("a.txt", "one\n");
    const steps = [{ calls: [call("Read", { file_path: "a.txt" })] }, "Read.", "Again."];
    const whole = await place.open(steps, { id: "whole" });
    await whole.say("Read it.");
    await whole.say("And now?");
    await whole.close();
    const first = await place.open(steps, { id: "parted" });
    await first.say("Read it.");
    await first.close();
    const second = await place.open(steps, { id: "parted", isResumed: true });
    await second.say("And now?");
    await second.close();
    const parted = [...first.requests, ...second.requests];
    const shape = (request: (typeof parted)[number]) =>
      withoutMarkers({
        system: request.system,
        tools: request.tools,
        // Ids of calls are made for each conversation.
        messages: JSON.stringify(request.messages).replaceAll(/toolu_\w+/g, "toolu"),
      });
    expect(parted.map(shape)).toEqual(whole.requests.map(shape));
  });

  it("answers calls that were open, once", async () => {
    const steps = [{ calls: [call("Bash", { command: "sleep 600" })] }, "Done."];
    const session = await place.open(steps, { id: "open" });
    // A crash: the store is given free in the middle of a call.
    const stop = new AbortController();
    const said = session.say("Go.", stop.signal);
    await until(() => session.conversation.live.some(({ type }) => type === "assistant"));
    const atCrash = await readFile(session.transcriptPath, "utf8");
    stop.abort();
    await said;
    await session.close();
    const { writeFile } = await import("node:fs/promises");
    await writeFile(session.transcriptPath, atCrash);

    const again = await place.open(["Done."], { id: "open", isResumed: true });
    expect(resultsIn(again.conversation.live)).toMatchObject([
      { is_error: true, content: expect.stringContaining("ended before this call did") },
    ]);
    await again.close();
    const third = await place.open(steps, { id: "open", isResumed: true });
    expect(resultsIn(third.conversation.live)).toHaveLength(1);
    expect((await third.say(undefined)).result.reason).toBe("done");
    await third.close();
  });

  it("has its todos, its plan, its plan mode and its skills again", async () => {
    await place.write(
      ".claude/skills/greet/SKILL.md",
      "---\nname: greet\ndescription: How to greet.\n---\nSay hi.",
    );
    const todos = [{ content: "Run the tests", status: "pending" }];
    const session = await place.open(
      [
        {
          calls: [call("TodoWrite", { todos }), call("Skill", { skill: "greet" }), call("EnterPlanMode")],
        },
        { calls: [call("ExitPlanMode", { plan: "1. Do it." })] },
        { text: LONG, calls: [call("EnterPlanMode")] },
        "Planning.",
      ],
      { id: "kept" },
    );
    await session.say("Plan.");
    await session.close();
    expect(await readFile(join(sessionFolder(place.data, "kept"), "plan.md"), "utf8")).toBe("1. Do it.");

    const again = await place.open(["Go on."], { id: "kept", isResumed: true });
    expect(again.agent.permissionMode()).toBe("plan");
    const compacted = await again.conversation.compact();
    expect(compacted).toMatchObject({ kind: "compacted" });
    const restored = JSON.stringify(again.conversation.live);
    expect(restored).toContain("Run the tests");
    expect(restored).toContain("1. Do it.");
    expect(restored).toContain("Say hi.");
    await again.close();
  });

  it("knows what it has read, where nobody has changed it since", async () => {
    const same = await place.write("same.txt", "one\n");
    const changed = await place.write("changed.txt", "one\n");
    await place.write("deep/CLAUDE.md", "Deep rules.");
    await place.write("deep/file.txt", "text");
    const read = (path: string) => call("Read", { file_path: path });
    const edit = (path: string) => call("Edit", { file_path: path, old_string: "one", new_string: "two" });
    const steps = [
      { calls: [read("same.txt"), read("changed.txt"), read("deep/file.txt")] },
      "Read.",
      { calls: [edit("same.txt"), edit("changed.txt"), read("deep/file.txt")] },
      "Done.",
    ];
    const session = await place.open(steps, { id: "reads" });
    await session.say("Read them.");
    await session.close();
    await utimes(changed, new Date(), new Date(Date.now() + 60_000));

    const again = await place.open(steps, { id: "reads", isResumed: true });
    await again.say("Edit them.");
    const results = resultsIn(again.conversation.live).slice(-3);
    expect(results[0]?.is_error).toBeUndefined();
    expect(results[1]).toMatchObject({ is_error: true });
    expect(await readFile(same, "utf8")).toBe("two\n");
    expect(JSON.stringify(again.requests.at(-1)?.messages).split("Deep rules.")).toHaveLength(2);
    await again.close();
  });
});

describe("permissions", () => {
  it("let nothing be changed while the agent plans, whatever the mode", async () => {
    const session = await place.open([
      { calls: [call("EnterPlanMode")] },
      {
        calls: [
          call("Write", { file_path: "a.txt", content: "x" }),
          call("Bash", { command: "touch b.txt" }),
        ],
      },
      { calls: [call("ExitPlanMode", { plan: "Write it." })] },
      { calls: [call("Write", { file_path: "a.txt", content: "x" })] },
      "Done.",
    ]);
    await session.say("Go.");
    const results = resultsIn(session.conversation.live);
    expect(results[1]).toMatchObject({ is_error: true, content: expect.stringContaining("ExitPlanMode") });
    expect(results[2]).toMatchObject({ is_error: true });
    expect(existsSync(join(place.cwd, "b.txt"))).toBe(false);
    expect(await readFile(join(place.cwd, "a.txt"), "utf8")).toBe("x");
    await session.close();
  });

  it("end a session that was started to plan with its plan", async () => {
    const session = await place.open(
      [{ text: "Here.", calls: [call("ExitPlanMode", { plan: "1. Write it." })] }],
      { mode: "plan" },
    );
    expect((await session.say("Plan.")).result).toMatchObject({
      reason: "done",
      text: "1. Write it.",
      turns: 1,
    });
    expect(session.agent.permissionMode()).toBe("plan");
    await session.close();
  });
});

describe("what is closed", () => {
  it("leaves no command running", async () => {
    const session = await place.open([
      { calls: [call("Bash", { command: "echo $$ > pid; sleep 600", run_in_background: true })] },
      "Started.",
    ]);
    await session.say("Start it.");
    const pidFile = join(place.cwd, "pid");
    await until(() => existsSync(pidFile));
    await until(async () => (await readFile(pidFile, "utf8")).trim() !== "");
    const pid = Number(await readFile(pidFile, "utf8"));
    await session.close();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    if (tries > 6000) throw new Error("it never came true");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("what a session tells and remembers", () => {
  it("events of the engine, without keys, and the pauses of earlier sessions", async () => {
    const told: ToldEngineEvent[] = [];
    for (const id of ["first", "second"]) {
      // The name of the model stands for a key: it is in many events.
      const session = await place.open(["Hello."], {
        id,
        secrets: ["claude-sonnet-5"],
        onEngineEvent: (event) => told.push(event),
      });
      await session.say("Hi.");
      await session.close();
    }
    expect(new Set(told.map(({ name }) => name))).toContain("call_billed");
    expect(told.map(({ sessionId }) => sessionId)).toEqual(expect.arrayContaining(["first", "second"]));
    expect(JSON.stringify(told)).toContain("[secret]");
    expect(JSON.stringify(told)).not.toContain("claude-sonnet-5");
    const gaps: unknown = JSON.parse(await readFile(join(place.data, "gaps.json"), "utf8"));
    expect(gaps).toMatchObject({ sources: { sdk: { conversations: expect.closeTo(2, 1) } } });
    expect((await stat(join(place.data, "gaps.json"))).mode & 0o077).toBe(0);
  });

  it("what hooks say to the person around a compaction, also where it comes to nothing", async () => {
    const notices: string[] = [];
    const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
    const { hooks } = readHookSettings(
      {
        hooks: {
          PreCompact: hook(`echo '{"systemMessage":"I said no","decision":"block","reason":"not now"}'`),
        },
      },
      { file: "settings.json" },
    );
    const session = await place.open([LONG], {
      settings: {
        engine: defaultSettings,
        hooks,
        permissions: { allow: [], ask: [], deny: [], additionalDirectories: [] },
        env: {},
        files: [],
        warnings: [],
      },
      onNotice: (text) => notices.push(text),
    });
    await session.say("Go.");
    const outcome = await session.conversation.compact();
    await session.close();
    expect(outcome).toMatchObject({ kind: "failed", reason: "blocked_by_hook" });
    expect(notices).toEqual(["I said no"]);
  });
});

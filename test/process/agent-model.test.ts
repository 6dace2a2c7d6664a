import type { ModelRequest } from "@palimpsest/core";
import { execFileSync } from "node:child_process";
import { chmod, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  createScriptPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
  type Player,
  type ScriptStep,
} from "../../packages/palimpsest/src/simulator/index.js";
import { agentArguments, makeFolders, runCommand, transcriptsIn, type Folders } from "./agent-command.js";
import { put } from "./hostile-stage.js";

const WINDOW = 60_000;

let cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  cleanups = [];
});

interface Seen {
  readonly system: string;
  readonly messages: string;
  readonly tools: readonly string[];
}

interface Stage {
  readonly at: Folders;
  readonly url: string;
  /** What the model was shown before each of its answers, calls for summaries left out. */
  readonly seen: readonly Seen[];
}

const seenIn = ({ system, messages, tools }: ModelRequest): Seen => ({
  system: JSON.stringify(system),
  messages: JSON.stringify(messages),
  tools: (tools ?? []).map(({ name }) => name),
});

/** The simulated API and folders for one test; steps may depend on the folders. */
async function setUp(stepsFor: (at: Folders) => readonly ScriptStep[] | Player): Promise<Stage> {
  const at = await makeFolders("model");
  cleanups.push(() => at.remove());
  const seen: Seen[] = [];
  const steps = stepsFor(at);
  const inner: Player = "answer" in steps ? steps : createScriptPlayer({ steps, closing: "Done." });
  const player = withSummaries({
    answer(prompt, memory) {
      seen.push(seenIn(prompt.request));
      return inner.answer(prompt, memory);
    },
  });
  const app = createSimulatorApp({
    simulator: createSimulator({ player, startTime: Date.now(), window: WINDOW }),
    window: WINDOW,
  });
  const server = await startSimulatorServer({ app });
  cleanups.push(() => server.close());
  return { at, url: server.url, seen };
}

/** Runs the command; a mode of its own takes the place of the usual one. */
const run = async (
  { at, url }: Stage,
  prompt: string,
  mode = "bypassPermissions",
  ...args: readonly string[]
) => {
  const usual = agentArguments({ url, window: WINDOW });
  const given = usual.map((arg) => (arg === "bypassPermissions" ? mode : arg));
  const ended = await runCommand(at, ["-p", prompt, ...given, ...args]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return ended;
};

const count = (text: string | undefined, part: string): number => (text ?? "").split(part).length - 1;

const git = ({ work }: Folders, ...args: readonly string[]) =>
  execFileSync("git", ["-C", work, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);

const calling = (tool: string, input: object): ScriptStep => ({
  text: `I use ${tool}.`,
  calls: [{ tool, input: input as Readonly<Record<string, unknown>> }],
});

/** Enough of them fill the window, so that the conversation is compacted by itself. */
const fillers = (count: number): readonly ScriptStep[] =>
  Array.from({ length: count }, (_, at) =>
    calling("Bash", { command: `seq -f 'filler ${at} line %g' 1 1500` }),
  );

const settingsOf = (settings: object): string => JSON.stringify(settings);

describe("after a compaction", () => {
  it("the summary names the transcript, which Read shows without a question, and no other; the model goes on unasked", async () => {
    const stage = await setUp(({ data, root }) => ({
      // The path is known once the summary has named it.
      ...createScriptPlayer({ steps: [] }),
      answer: (({ request }, memory) => {
        const text = JSON.stringify(request.messages);
        const path = /The full transcript is at ([^\s:]+\.jsonl):/.exec(text)?.[1];
        const rounds = request.messages.filter(({ role }) => role === "assistant").length;
        const read = (file: string, id: string) =>
          ({ type: "tool_use", id, name: "Read", input: { file_path: file, limit: 3 } }) as const;
        if (path !== undefined && !text.includes("toolu_own")) {
          const content = [
            read(path, "toolu_own"),
            read(join(data, "projects", "other.jsonl"), "toolu_other"),
          ];
          return { answer: { content }, memory };
        }
        if (path !== undefined) return { answer: { content: [{ type: "text", text: "Done." }] }, memory };
        const command = `echo ${root.length}; seq -f 'filler ${rounds} line %g' 1 1500`;
        return {
          answer: { content: [{ type: "tool_use", name: "Bash", input: { command } }] },
          memory,
        };
      }) satisfies Player["answer"],
    }));
    const { at, seen } = stage;
    await put(join(at.data, "projects", "other.jsonl"), "a secret of another session");
    await put(join(at.work, ".claude/settings.json"), settingsOf({ permissions: { allow: ["Bash"] } }));
    await run(stage, "The first words of the person.", "default");
    const last = seen.at(-1)?.messages ?? "";
    const [transcript] = await transcriptsIn(at.data).then((all) => all.filter(({ id }) => id !== "other"));
    expect(last).toContain(`The full transcript is at ${transcript?.path}:`);
    expect(last).toMatch(/toolu_own[^]*The first words of the person/);
    expect(last).not.toContain("a secret of another session");
    expect(last).toContain("ask nothing first");
    expect(last).not.toContain("in a loop that is already running");
    expect(await readFile(transcript?.path ?? "", "utf8")).not.toContain("a secret of another session");
  });
});

it("plan mode is announced when it is on, again after a compaction, and so is its end when the mode changes", async () => {
  const stage = await setUp(() => [...fillers(6), "That is my plan."]);
  const { seen } = stage;
  await run(stage, "Plan it.", "plan");
  const compacted = seen.findIndex(({ messages }) => messages.includes("continues an earlier one"));
  expect(compacted).toBeGreaterThan(1);
  expect(count(seen[0]?.messages, "Plan mode is on")).toBe(1);
  expect(count(seen[compacted - 1]?.messages, "Plan mode is on")).toBe(1);
  expect(count(seen[compacted]?.messages, "Plan mode is on")).toBe(1);
  expect(seen.at(-1)?.messages).not.toContain("Plan mode is off");
  // The mode of a session that was started to plan ends with it.
  await run(stage, "Now do it.", "acceptEdits", "--continue");
  expect(seen.at(-1)?.messages).toContain("Plan mode is off");
  await run(stage, "And now?", "plan", "--continue");
  const last = seen.at(-1)?.messages ?? "";
  expect(last.lastIndexOf("Plan mode is on")).toBeGreaterThan(last.lastIndexOf("Plan mode is off"));
});

describe("the system prompt", () => {
  it("names the shell and what git says; a changed status is a reminder, and the prompt stays to the byte", async () => {
    const stage = await setUp(() => ["Hello."]);
    const { at, seen } = stage;
    git(at, "init", "-q", "-b", "trunk");
    await put(join(at.work, "old.txt"), "old");
    git(at, "add", ".");
    git(at, "commit", "-qm", "one");
    await put(join(at.work, "# Heading\n<b>.txt"), "names are not obeyed");
    await run(stage, "Hello?");
    expect(seen[0]?.system).toMatch(/Shell: \/bin\/(?:ba)?sh/);
    expect(seen[0]?.system).toContain("Git: on trunk. Changed files");
    expect(seen[0]?.system).toContain("u0023 Heading");
    for (let number = 0; number < 80; number += 1) await put(join(at.work, `new-${number}.txt`), "x");
    await run(stage, "What now?", "default", "--continue");
    expect(seen[1]?.system).toBe(seen[0]?.system);
    expect(seen[1]?.messages).toContain('type=\\"instructions_changed\\"');
    expect(seen[1]?.messages).toContain("?? new-0.txt");
    expect(seen[1]?.messages).toMatch(/… and 5\d more/);
    // It is told once.
    await run(stage, "And now?", "default", "--continue");
    expect(count(seen[2]?.messages, "?? new-0.txt")).toBe(1);
  });

  it("a hostile repository runs nothing at the start; settings add sections, and none of them is there without", async () => {
    const stage = await setUp(({ data }) => [
      calling("Write", { file_path: join(data, "sessions/one/scratchpad/note.txt"), content: "a note" }),
      ...fillers(6),
      "Hello.",
    ]);
    const { at, seen } = stage;
    git(at, "init", "-q");
    const pwned = join(at.root, "pwned");
    const program = join(at.work, "program.sh");
    await put(program, `#!/bin/sh\ntouch '${pwned}'\n`);
    await chmod(program, 0o755);
    await put(join(at.work, ".gitattributes"), "* filter=bad diff=bad\n");
    await put(join(at.work, "a.txt"), "a");
    for (const [name, value] of Object.entries({
      "core.fsmonitor": program,
      "core.hooksPath": at.work,
      "filter.bad.clean": program,
      "filter.bad.process": program,
      "diff.external": program,
    }))
      git(at, "config", name, value);
    await put(
      join(at.work, ".palimpsest/settings.json"),
      settingsOf({
        briefAnswers: true,
        lengthAnchors: true,
        autonomous: true,
        tokenBudget: 123_456,
        scratchpad: true,
        permissions: { allow: ["Bash(seq:*)"] },
      }),
    );
    await run(stage, "Hello?", "default", "--session-id", "one");
    await expect(stat(pwned)).rejects.toThrow("ENOENT");
    expect(seen[0]?.system).toContain("Git: not asked for its status");
    for (const heading of [
      "# Brevity",
      "# Length",
      "# On your own",
      "# Budget",
      "123,456 tokens",
      "# Scratchpad",
    ])
      expect(seen[0]?.system).toContain(heading);
    expect(await readFile(join(at.data, "sessions/one/scratchpad/note.txt"), "utf8")).toBe("a note");
    expect(seen.at(-1)?.messages).toContain("in a loop that is already running");
    await rm(join(at.work, ".palimpsest"), { recursive: true });
    const before = seen.length;
    await run(stage, "Hello?", "default");
    expect(seen[before]?.system).not.toMatch(/# (?:Brevity|Length|On your own|Budget|Scratchpad)/);
  });
});

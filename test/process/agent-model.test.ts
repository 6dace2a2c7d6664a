import { chmod, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createScriptPlayer, type Player } from "../../packages/palimpsest/src/simulator/index.js";
import { agentArguments, linesOf, runCommand, transcriptsIn } from "./agent-command.js";
import { put } from "./hostile-stage.js";
import {
  calling,
  count,
  fillers,
  git,
  heard,
  putServerAndHooks,
  run,
  setUp,
  settingsOf,
  twoMinds,
  WINDOW,
  type Seen,
} from "./model-stage.js";

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
  const stage = await setUp(() => [...fillers(3), "That is my plan."]);
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
      ...fillers(3),
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

it("instructions of a directory come with what touches it, before an edit and with a restored file; what is wrong with them is told", async () => {
  const stage = await setUp(() => [
    calling("Read", { file_path: "api/a.txt" }),
    calling("Grep", { pattern: "line", path: "lib" }),
    calling("Bash", { command: "cat cmd/a.txt" }),
    calling("ToolSearch", { query: "select:mcp__files__change" }),
    calling("mcp__files__change", { where: "srv/a.txt" }),
    calling("Read", { file_path: "web/a.txt" }),
    calling("Read", { file_path: "big/a.txt" }),
    calling("Write", { file_path: "new/x.txt", content: "one" }),
    calling("Write", { file_path: "new/x.txt", content: "two" }),
    calling("Read", { file_path: "api/a.txt" }),
    ...fillers(3),
    "Done.",
  ]);
  const { at, seen } = stage;
  const names = ["api", "lib", "cmd", "srv", "web", "big", "new"];
  for (const name of names) {
    await put(join(at.work, name, "a.txt"), "a line\n");
    await put(join(at.work, name, "AGENTS.md"), `The rule of ${name}.\n`);
  }
  await put(join(at.work, "api", "AGENTS.md"), "The rule of api.\n@more.md\n");
  await put(join(at.work, "api", "more.md"), "More for api.\n@AGENTS.md\n");
  await put(join(at.work, "web", "AGENTS.md"), "The rule of web.\0");
  await put(join(at.work, "big", "AGENTS.md"), `The rule of big.\n${"word ".repeat(10_000)}`);
  await putServerAndHooks(at, ["InstructionsLoaded"]);
  const ended = await runCommand(at, ["-p", "Go.", ...agentArguments({ url: stage.url, window: WINDOW })]);
  expect(ended.code).toBe(0);

  const shown = (index: number, text: string) => expect(seen[index]?.messages).toContain(text);
  const hidden = (index: number, text: string) => expect(seen[index]?.messages).not.toContain(text);
  shown(1, "The rule of api.");
  shown(1, "More for api.");
  shown(1, "from which it was imported itself");
  hidden(1, "The rule of lib.");
  shown(2, "The rule of lib.");
  hidden(2, "The rule of cmd.");
  shown(3, "The rule of cmd.");
  hidden(4, "The rule of srv.");
  shown(5, "The rule of srv.");
  hidden(6, "The rule of web");
  shown(6, "it holds a NUL byte");
  shown(7, "The rule of big.");
  shown(7, "is longer than 40,000 characters");
  // The first call changes nothing: the rule is read before.
  shown(8, "Nothing was changed yet");
  shown(8, "The rule of new.");
  shown(9, "was made");
  expect(count(seen[9]?.messages, "The rule of new.")).toBe(1);
  expect(await readFile(join(at.work, "new/x.txt"), "utf8")).toBe("two");
  const last = seen.at(-1)?.messages ?? "";
  expect(last).toContain("continues an earlier one");
  expect(last).toMatch(/The rule of api\.[^]*The file [^ ]*api\/a\.txt, read again from disk/);
  // Hooks hear of each, and the person of what is wrong.
  const loaded = await heard(at, "InstructionsLoaded");
  const reasons = loaded.map(
    ({ file_path: path, load_reason: reason }) =>
      `${String(path).split("/").slice(-2).join("/")} ${String(reason)}`,
  );
  expect(reasons).toEqual(
    expect.arrayContaining([
      "api/AGENTS.md nested_traversal",
      "api/more.md include",
      "new/AGENTS.md nested_traversal",
      "api/AGENTS.md compact",
    ]),
  );
  const notices = linesOf(ended.stdout).flatMap(({ subtype, text }) =>
    subtype === "notice" ? [String(text)] : [],
  );
  expect(notices).toEqual([
    expect.stringMatching(/more\.md imports [^ ]*api\/AGENTS\.md/),
    expect.stringContaining("web/AGENTS.md is left out: it holds a NUL byte"),
    expect.stringContaining("big/AGENTS.md is longer than 40,000 characters"),
  ]);
});

it("files that a server, a subagent or a command in the background changed are told; subagents have what their parent has", async () => {
  const change = (where: string) => [
    calling("ToolSearch", { query: "select:mcp__files__change" }),
    calling("mcp__files__change", { where }),
  ];
  const stage = await setUp(() =>
    twoMinds(
      [
        calling("Read", { file_path: "one.txt" }),
        calling("Read", { file_path: "two.txt" }),
        calling("Read", { file_path: "three.txt" }),
        ...change("one.txt"),
        calling("Agent", { description: "change it", prompt: "Change two.txt." }),
        calling("Bash", { command: "echo more >> three.txt; exec sleep 60", run_in_background: true }),
        calling("Bash", { command: "until grep -q more three.txt; do sleep 0.02; done" }),
        calling("BashOutput", { bash_id: "bash_1", block: true, timeout: 300 }),
        ...fillers(3),
      ],
      [...change("two.txt"), ...fillers(3), "It is changed."],
    ),
  );
  const { at, seen } = stage;
  for (const name of ["one", "two", "three"]) await put(join(at.work, `${name}.txt`), "a line\n");
  await putServerAndHooks(at, ["UserPromptSubmit", "PreCompact", "PostCompact"]);
  await run(stage, "Go.");

  const isSub = ({ system }: Seen): boolean => system.includes("You are a subagent");
  const [sub = [], main = []] = [true, false].map((which) => seen.filter((one) => isSub(one) === which));
  const hint = (name: string) =>
    new RegExp(
      String.raw`Files that you read have changed on disk since(?:(?!Files that)[^])*work/${name}\.txt`,
    );
  expect(main[4]?.messages).not.toMatch(hint("one"));
  expect(main[5]?.messages).toMatch(hint("one"));
  expect(main[6]?.messages).toMatch(hint("two"));
  expect(main[8]?.messages).toMatch(hint("three"));
  // The metadata beside it.
  const [transcript] = await transcriptsIn(at.data);
  const stored = linesOf(await readFile(transcript?.path ?? "", "utf8"));
  const hints = stored.flatMap(({ toolUseResult }) => (toolUseResult === undefined ? [] : [toolUseResult]));
  expect(hints).toMatchObject(
    Array.from({ length: 3 }, () => ({ staleReadFileStateHint: expect.stringContaining("have changed") })),
  );
  // A command that still runs is told of after a compaction.
  expect(main.at(-1)?.messages).toContain("continues an earlier one");
  expect(main.at(-1)?.messages).toMatch(
    /Background task bash_1 \(echo more >> three\.txt; exec sleep 60\): running/,
  );
  // Tools that wait, and what the server says, are told to the subagent too, and again after its compaction.
  for (const request of [sub[0], sub.at(-1)]) {
    expect(request?.messages).toContain("mcp__files__other7");
    expect(request?.messages).toContain("Ask this server kindly.");
    expect(request?.tools).toContain("ToolSearch");
  }
  expect(sub.at(-1)?.messages).toContain("continues an earlier one");
  // Hooks: a prompt is a person's, and a subagent's compaction says whose it is.
  expect(await heard(at, "UserPromptSubmit")).toMatchObject([{ prompt: "Go." }]);
  for (const event of ["PreCompact", "PostCompact"]) {
    const agents = (await heard(at, event)).map(({ agent_type: agent }) => agent);
    expect(agents).toEqual(expect.arrayContaining(["general", undefined]));
  }
});

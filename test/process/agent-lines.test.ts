import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { titlesIn } from "../test-titles.js";
import { linesOf, makeFolders, runCommand, type Folders, type Line } from "./agent-command.js";
import { Client } from "./control-client.js";
import { put } from "./hostile-stage.js";
import { pausedBefore } from "./paused-before.js";
import { startScriptedApi, type ScriptedApi } from "./scripted-api.js";

const bash = (command: string) => ({ text: "Next.", calls: [{ tool: "Bash", input: { command } }] });
const reads = (...paths: readonly string[]) => ({
  text: "I read.",
  calls: paths.map((path) => ({ tool: "Read", input: { file_path: path } })),
});
const MINUTE = 60_000;
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAABwAAAAcCAAAAABXZoBIAAAAFElEQVR42mP4jwcwjEqOSo5KwgAA0FYNHp/Mo7cAAAAASUVORK5CYII=";

/** A clock that is put forward by so much once a file is there. */
const clockOf = (file: string, milliseconds: number): string => `
import { existsSync } from "node:fs";
const real = Date.now.bind(Date);
Date.now = () => real() + (existsSync(${JSON.stringify(file)}) ? ${milliseconds} : 0);
`;

describe("one session that a program drives, and the next one that goes on with it", () => {
  let at: Folders;
  let api: ScriptedApi;
  let lines: readonly Line[];
  let results: readonly Line[];
  let stderr: string;
  let events: readonly Line[];
  let nextCode: number | null;
  /** How many requests had been sent before each prompt. */
  const sentBefore: number[] = [];
  const prompts = [
    "/tidy the attic",
    "/ops:ship api prod",
    "See @notes.md#L2-2.",
    "Plan it.",
    "Now do it.",
    "/context",
    "/cost",
    "/compact --dry-run",
    "/compact keep the numbers",
    "Go on.",
    "/undo",
    "/clear-results",
    "Once more.",
    "/compact",
    "And again.",
  ] as const;

  beforeAll(async () => {
    at = await makeFolders("lines");
    await pausedBefore(at, 7);
    await put(join(at.root, "clock.mjs"), clockOf(join(at.root, "later"), 2.6 * MINUTE));
    await put(join(at.work, "notes.md"), "mind the gap\nmind the step\n");
    await put(join(at.work, "AGENTS.md"), "The rule of the house.\n");
    for (const name of ["one", "two"]) await put(join(at.work, `${name}.txt`), `text of ${name}\n`);
    await writeFile(join(at.work, "chart.png"), Buffer.from(PICTURE, "base64"));
    await put(
      join(at.work, ".claude/skills/tidy/SKILL.md"),
      "---\ndescription: Tidies.\n---\nTidy $ARGUMENTS up.",
    );
    await put(
      join(at.work, ".claude/commands/ops/ship.md"),
      "---\nallowed-tools: Bash(echo:*)\n---\nShip $1 to $2 ($ARGUMENTS): !`echo on-$1`. See @notes.md",
    );
    const settings = {
      hooks: {
        // It sends the model on once; then it is late.
        Stop: [
          {
            hooks: [
              {
                type: "command",
                command: `cd "$HOME"; if [ -e sent ]; then touch later; else touch sent; echo '{"decision":"block","reason":"Look again."}'; fi`,
              },
            ],
          },
        ],
        PreCompact: [
          {
            hooks: [
              {
                type: "command",
                command: `cat >> '${join(at.root, "heard.jsonl")}'; echo '{"systemMessage":"the hook says so"}'`,
              },
            ],
          },
        ],
      },
    };
    api = await startScriptedApi([
      reads("one.txt"),
      reads("two.txt"),
      reads("chart.png", "AGENTS.md"),
      bash("seq -f 'a line %g' 1 1500"),
      "Not yet.",
      "First.",
      bash("seq -f 'b line %g' 1 1500"),
      "Second.",
      "Third.",
      "Fourth.",
      "Fifth.",
      "Sixth.",
      bash("seq -f 'c line %g' 1 1500"),
      "Seventh.",
      bash("seq -f 'd line %g' 1 1500"),
      "Eighth.",
      "Ninth.",
    ]);
    const client = new Client(
      at,
      [
        ["--base-url", api.url, "--model", "claude-sonnet-5", "--permission-prompt-tool", "stdio"],
        ["--settings", JSON.stringify(settings), "--allowedTools", "Bash(seq:*)"],
      ].flat(),
      {
        PALIMPSEST_TRUST: "1",
        NODE_OPTIONS: `--import=${join(at.root, "clock.mjs")}`,
        PALIMPSEST_CACHE_TTL: "5m",
        PALIMPSEST_CACHE_KEEP_ALIVE: "1",
        PALIMPSEST_CACHE_KEEP_ALIVE_MARGIN_5M: String(2.5 * MINUTE),
        PALIMPSEST_KEEP_RECENT_TOKENS: "0",
        PALIMPSEST_CLEAR_SIZE_KEEP: "1",
      },
    );
    const ask = async (prompt: string): Promise<void> => {
      sentBefore.push(api.bodies.length);
      client.prompt(prompt);
      await client.result(sentBefore.length);
    };
    try {
      for (const prompt of prompts) {
        if (prompt === "Plan it.") await client.request({ subtype: "set_permission_mode", mode: "plan" });
        if (prompt === "Now do it.")
          await client.request({ subtype: "set_permission_mode", mode: "default" });
        await ask(prompt);
        // By then the clock says that it is late.
        if (prompt === prompts[0])
          await client.next(({ text }) => String(text).startsWith("The cache was kept"));
      }
      await client.end();
    } finally {
      client.kill();
    }
    lines = [...client.lines];
    results = lines.filter(({ type }) => type === "result");
    ({ stderr } = client);
    const file = join(at.root, "events.jsonl");
    const asked = ["And then?", "/compact"].map((content) =>
      JSON.stringify({ type: "user", message: { role: "user", content } }),
    );
    const next = await runCommand(
      at,
      [
        ["-c", "-p", "--input-format", "stream-json", "--output-format", "stream-json"],
        ["--base-url", api.url, "--model", "claude-sonnet-5", "--events", file],
        ["--allowedTools", "Bash(seq:*)"],
      ].flat(),
      { PALIMPSEST_KEEP_RECENT_TOKENS: "0" },
      asked.join("\n"),
    );
    nextCode = next.code;
    events = linesOf(await readFile(file, "utf8"));
  });
  afterAll(async () => {
    await api.close();
    await at.remove();
  });

  const promptAt = (prompt: (typeof prompts)[number]): number => prompts.indexOf(prompt);
  const resultOf = (prompt: (typeof prompts)[number]): Line => results[promptAt(prompt)] ?? {};
  /** What the model was shown first after a prompt. */
  const shownFor = (prompt: (typeof prompts)[number]): string =>
    JSON.stringify(api.bodies[sentBefore[promptAt(prompt)] ?? -1]?.messages);
  const has = (text: string, part: string) => expect(text.includes(part), `${part} is there`).toBe(true);

  it("says what it is made of", () => {
    expect(stderr).toBe("");
    expect(lines.find(({ subtype }) => subtype === "init")).toMatchObject({
      provider: "anthropic",
      apiKeySource: "ANTHROPIC_API_KEY",
      slash_commands: expect.arrayContaining(["tidy", "ops:ship"]),
    });
  });

  it("starts a skill by its name with its arguments", () => {
    has(shownFor("/tidy the attic"), "Tidy the attic up.");
    expect(resultOf("/tidy the attic")).toMatchObject({ result: "First." });
  });

  it("keeps the cache warm while nobody says anything: once, billed and told, and the next request reads it", () => {
    const kept = lines.filter(({ text }) => String(text).startsWith("The cache was kept"));
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({
      subtype: "notice",
      text: expect.stringMatching(/[1-9]\d,\d{3} tokens were read for \$0\.\d{4} \(\$0\.\d{4} of at most \$/),
    });
    expect(api.bodies.filter(({ max_tokens: most }) => most === 1)).toHaveLength(1);
    expect(String(resultOf("/cost")["result"])).toMatch(/keep_alive +1/);
  });

  it("fills in a command file: arguments, what a command prints, and a file", () => {
    const shown = shownFor("/ops:ship api prod");
    has(shown, "Ship api to prod (api prod): on-api");
    has(shown, "mind the gap");
  });

  it("shows the lines of a file that a prompt names", () => {
    const shown = shownFor("See @notes.md#L2-2.");
    has(shown, "lines 2 to 2");
    expect(shown.split("2\\tmind the step").length).toBeGreaterThan(1);
  });

  it("tells the model that planning begins, and that it is over", () => {
    has(shownFor("Plan it."), "Plan mode is on");
    has(shownFor("Now do it."), "Plan mode is off");
  });

  it("answers /context, /cost and /compact --dry-run by itself", () => {
    expect(resultOf("/context")).toMatchObject({ command: { name: "context", pressure: "none" } });
    expect(resultOf("/cost")).toMatchObject({ command: { total: { dollars: expect.any(Number) } } });
    expect(resultOf("/compact --dry-run")).toMatchObject({ command: { plan: { tier: "full" } } });
    expect(sentBefore[promptAt("/compact keep the numbers")]).toBe(sentBefore[promptAt("/context")]);
  });

  it("compacts by hand with the person's instructions, says so while it does, and hooks hear of each once", async () => {
    const sent = JSON.stringify(
      api.bodies.slice(sentBefore[promptAt("/compact keep the numbers")], sentBefore[promptAt("Go on.")]),
    );
    has(sent, "keep the numbers");
    expect(lines.find(({ subtype }) => subtype === "status")).toMatchObject({ status: "compacting" });
    const heard = linesOf(await readFile(join(at.root, "heard.jsonl"), "utf8"));
    expect(heard).toMatchObject([
      { trigger: "manual", custom_instructions: "keep the numbers" },
      { trigger: "manual" },
    ]);
    expect(lines.filter(({ text }) => text === "the hook says so")).toHaveLength(2);
  });

  it("marks the summary, and what no person wrote", () => {
    const marked = { type: "user", isVisibleInTranscriptOnly: true };
    expect(lines.filter((line) => line["isCompactSummary"] === true)).toMatchObject([marked, marked]);
    const meta = lines.filter((line) => line["isMeta"] === true);
    expect(meta).toMatchObject([{ type: "user" }]);
    has(JSON.stringify(meta), "Look again.");
  });

  it("names the transcript in the summary; after a compaction by hand the model may ask", () => {
    const shown = shownFor("Go on.");
    has(shown, "The full transcript is at ");
    has(shown, "where you are unsure, ask first");
  });

  it("brings back the files in use and a picture, none that the prompt shows", () => {
    const back = [
      ...shownFor("Go on.").matchAll(/The (?:file|picture) [^ ]*?([\w.]+)(?:, lines[^,]+)?, read again/g),
    ];
    // The file that a prompt named was read last.
    expect(back.map(([, name]) => name)).toEqual(["notes.md", "two.txt", "one.txt", "chart.png"]);
    has(JSON.stringify(api.bodies.at(-1)?.system), "The rule of the house.");
  });

  it("takes the compaction back, and clears results when it is told to", () => {
    expect(resultOf("/undo")["result"]).toMatch(/^The last compaction is undone/);
    expect(resultOf("/clear-results")["result"]).toMatch(/^Cleared [12] results?/);
  });

  it("is continued in another process, whose compaction knows where it stands in the chain", () => {
    expect(nextCode).toBe(0);
    const [compacted, ...others] = events.filter(({ event }) => event === "compact");
    expect(others).toEqual([]);
    expect(compacted).toMatchObject({
      data: {
        trigger: "manual",
        // Two answers of the first process since its last compaction, and one of the second.
        chain: { isRecompaction: true, roundsSinceLast: 3, threshold: expect.any(Number) },
      },
    });
  });
});

describe("what a server says of itself and of the account", () => {
  let at: Folders;
  let api: ScriptedApi;
  afterEach(async () => {
    await api.close();
    await at.remove();
  });

  const flags = ["--model", "claude-sonnet-5", "--permission-mode", "bypassPermissions"];

  it("an hour is decided on once for a session; one that begins in overage, or may not have it, has five minutes", async () => {
    at = await makeFolders("lines");
    await pausedBefore(at, 7);
    api = await startScriptedApi([bash("seq 1 5"), "Done."], {
      headers: { "anthropic-ratelimit-unified-overage-in-use": "true" },
    });
    const args = ["-p", "Go.", "--base-url", api.url, ...flags];
    const hours = async (
      run: () => Promise<{ readonly code: number | null }>,
    ): Promise<readonly boolean[]> => {
      const before = api.bodies.length;
      expect(await run()).toMatchObject({ code: 0 });
      return api.bodies.slice(before).map((body) => JSON.stringify(body).includes('"ttl":"1h"'));
    };
    // The first response says that the account is in overage: what was decided stays.
    expect(await hours(() => runCommand(at, args))).toEqual([true, true]);
    expect(JSON.parse(await readFile(join(at.data, "overage.json"), "utf8"))).toMatchObject({
      isInOverage: true,
    });
    expect(await hours(() => runCommand(at, args))).toEqual([false, false]);
    expect(await hours(() => runCommand(at, args, { PALIMPSEST_CACHE_OVERAGE: "off" }))).toEqual([
      true,
      true,
    ]);
    const notEligible = { PALIMPSEST_CACHE_OVERAGE: "off", PALIMPSEST_CACHE_ELIGIBLE: "false" };
    expect(await hours(() => runCommand(at, args, notEligible))).toEqual([false, false]);
  });

  it("results are deleted inside the cache of a server that offers it, where the settings say so", async () => {
    at = await makeFolders("lines");
    const steps = Array.from({ length: 7 }, (_, step) => bash(`seq -f 'step ${step} line %g' 1 100`));
    api = await startScriptedApi([...steps, "Done."], { cacheEdits: true });
    const ended = await runCommand(
      at,
      ["-p", "Go.", "--base-url", api.url, ...flags, "--output-format", "stream-json"],
      {
        PALIMPSEST_CLEAR_CACHED: "1",
        PALIMPSEST_CLEAR_CACHED_TRIGGER: "4",
        PALIMPSEST_CLEAR_CACHED_KEEP: "2",
      },
    );
    expect(ended.code).toBe(0);
    const told = linesOf(ended.stdout).filter(({ subtype }) => subtype === "context");
    expect(told.map(({ tier }) => tier)).toContain("cached");
    const last = JSON.stringify(api.bodies.at(-1));
    expect(last).toContain("cache_edits");
    // What is deleted there stands in the request all the same, so that the cache is read.
    expect(last).toContain("step 0 line 1");
  });

  it("the classic rule counts where the settings name it", async () => {
    at = await makeFolders("lines");
    api = await startScriptedApi(["Done."]);
    const tokens = async (estimator: string): Promise<number> => {
      const args = ["-p", "/context", "--json", "--base-url", api.url, ...flags];
      const { stdout } = await runCommand(at, args, { PALIMPSEST_ESTIMATOR: estimator });
      return Number((linesOf(stdout)[0]?.["command"] as Line | undefined)?.["tokens"]);
    };
    const [classic, usual] = [await tokens("classic"), await tokens("default")];
    expect(classic).toBeGreaterThan(0);
    expect(classic).not.toBe(usual);
  });
});

/**
 * Lines that other tests show, which run the same command: each beside the test that fails where it is not told or done. The
 * runs above do not repeat them.
 */
const shownElsewhere: Readonly<Record<string, string>> = {
  "a compaction by itself: status, figures and cost":
    "agent-engine-told › is told to programs, line by line, and to a file",
  "a failed compaction and its cost": "agent-engine-told › is told to programs, line by line, and to a file",
  "what a failed compaction cost, where something was paid":
    "agent-cost › tells of compactions that failed: a line for programs, a sentence for people",
  "the breaker opens and closes": "agent-engine-told › is told to programs, line by line, and to a file",
  "the thresholds warn and error": "agent-engine-told › is told to programs, line by line, and to a file",
  "a server that does not start": "agent-engine-told › is told to programs, line by line, and to a file",
  "sentences for people": "agent-engine-told › is told to people, a sentence each, and pauses are remembered",
  "clearings by size": "agent-simulate › the agent over a socket to the simulator",
  "clearings by the API": "agent-engine-told › clearings by the API and pictures that become text are told",
  "/compact from and up-to a message, /clear":
    "agent-slash › the commands of the program itself, in one process and across processes",
  "--resume with --at and --branch":
    "agent-slash › a branch leaves its origin as it is, and what cannot go on says what can be done here",
  "--fork-session":
    "agent-slash › a branch leaves its origin as it is, and what cannot go on says what can be done here",
  "no key is an error":
    "headless-flags › fails with one sentence that says what to do, also where the secret is empty",
  "the provider in JSON":
    "headless-flags › is done by a server on this machine, and the result says who answered",
  "a prompt without -p": "headless-flags › is wrong usage, and is told where prompts go",
  "the flags of the ecosystem":
    "headless-flags › name settings, servers and prompts of one's own; init says what the session is made of",
  "permissions, models and interruptions by control_request":
    "headless-control › is asked for permissions, changes inputs, modes and models, and interrupts",
  "plan mode, again after a compaction":
    "agent-model › plan mode is announced when it is on, again after a compaction, and so is its end when the mode changes",
  "Read reads the transcript; the model goes on unasked":
    "agent-model › the summary names the transcript, which Read shows without a question, and no other; the model goes on unasked",
  "nested memory and its hooks":
    "agent-model › instructions of a directory come with what touches it, before an edit and with a restored file; what is wrong with them is told",
  "the environment with git status":
    "agent-model › names the shell and what git says; a changed status is a reminder, and the prompt stays to the byte",
  "stale reads, background commands, subagents' hooks":
    "agent-model › files that a server, a subagent or a command in the background changed are told; subagents have what their parent has",
};

it("names tests for all other lines that are there", () => {
  const wrong = Object.entries(shownElsewhere).filter(([, shown]) => {
    const [name = "", title = ""] = shown.split(" › ");
    return !titlesIn(fileURLToPath(new URL(`${name}.test.ts`, import.meta.url))).has(title);
  });
  expect(wrong).toEqual([]);
});

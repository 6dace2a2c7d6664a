import { existsSync } from "node:fs";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  linesOf,
  makeFolders,
  runCommand,
  startSimulate,
  transcriptsIn,
  type Ended,
  type Folders,
  type Line,
  type RunningSimulator,
} from "./agent-command.js";
import { createStage, put } from "./hostile-stage.js";

/** Requests are long: what is missing is said without them. */
const has = (text: string, part: string) =>
  expect(text.includes(part), `the model is shown ${part}`).toBe(true);
const lacks = (text: string, part: string) =>
  expect(text.includes(part), `the model is not shown ${part}`).toBe(false);

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

const bash = (command: string) => ({ text: "Next.", calls: [{ tool: "Bash", input: { command } }] });
const steps = [
  bash("seq -f 'a line %g' 1 1500"),
  bash("seq -f 'b line %g' 1 1500"),
  bash("seq 1 5"),
  bash("seq 1 6"),
  bash("seq 1 7"),
];

interface Place {
  readonly at: Folders;
  readonly api: RunningSimulator;
  /** `palimpsest -p` with `json`: the document. */
  readonly ask: (
    args: readonly string[],
    env?: NodeJS.ProcessEnv,
  ) => Promise<Ended & { readonly said: Line }>;
  /** One prompt for each line: all lines. */
  readonly stream: (prompts: readonly unknown[], args: readonly string[]) => Promise<readonly Line[]>;
}

async function setUp(): Promise<Place> {
  const at = await makeFolders("slash");
  opened.push(at.remove);
  const file = join(at.root, "script.json");
  await writeFile(file, JSON.stringify({ steps, closing: "All done." }));
  const api = await startSimulate(["--player", `script:${file}`]);
  opened.unshift(api.stop);
  const common = [
    "--base-url",
    api.url,
    "--model",
    "claude-sonnet-5",
    "--permission-mode",
    "bypassPermissions",
  ];
  return {
    at,
    api,
    async ask(args, env) {
      const ended = await runCommand(at, ["-p", ...args, ...common, "--json"], env);
      return { ...ended, said: linesOf(ended.stdout)[0] ?? {} };
    },
    async stream(prompts, args) {
      const format = ["--input-format", "stream-json", "--output-format", "stream-json"];
      const input = prompts.map((prompt) =>
        JSON.stringify(
          typeof prompt === "string" ? { type: "user", message: { role: "user", content: prompt } } : prompt,
        ),
      );
      const ended = await runCommand(at, ["-p", ...format, ...args, ...common], {}, `${input.join("\n")}\n`);
      return linesOf(ended.stdout);
    },
  };
}

type Told = Readonly<Record<string, never>>;
const told = (line: Line | undefined): Told => (line?.["command"] ?? {}) as Told;
const resultsIn = (lines: readonly Line[]): readonly Line[] => lines.filter(({ type }) => type === "result");

it("a compaction that names no message, or has nothing to gain, says so and pays nothing", async () => {
  const { api, ask, stream } = await setUp();
  const first = await ask(["Do the work."]);
  const sent = (await api.requests()).length;
  const prompts = ["/compact up-to", "/compact from now on be short", "/compact --dry-run from"];
  const results = resultsIn(await stream(prompts, ["--resume", String(first.said["sessionId"])]));
  expect(results.map(({ result }) => result)).toEqual([
    expect.stringMatching(/^\/compact up-to needs a message: give its uuid[^.]*\.$/),
    expect.stringMatching(
      /^\/compact from: "now" is not a message of this conversation: give its uuid[^.]*\.$/,
    ),
    expect.stringMatching(/^\/compact from needs a message: /),
  ]);
  expect((await api.requests()).length).toBe(sent);

  const more = ["/compact", "/compact", "/compact keep names"];
  const later = resultsIn(await stream(more, ["--resume", String(first.said["sessionId"])]));
  expect(later.map(({ result }) => String(result).split(/ \d|:/)[0])).toEqual([
    "Compacted",
    "There is nothing to gain yet",
    "There is nothing to gain yet",
  ]);
  expect(told(later.at(-1))).toMatchObject({ reason: "not_smaller" });
  expect((await api.requests()).length).toBe(sent + 1);
});

it("the commands of the program itself, in one process and across processes", async () => {
  const { at, api, ask, stream } = await setUp();
  const first = await ask(["Do the work, and never touch build/.", "--pin"]);
  expect(first.said).toMatchObject({ subtype: "success", result: "All done." });
  const id = String(first.said["sessionId"]);
  const [transcript] = await transcriptsIn(at.data);
  const stored = linesOf(await readFile(transcript?.path ?? "", "utf8"));
  expect(stored[0]).toMatchObject({ type: "user", isPinned: true });
  const second = String(stored.filter(({ type }) => type === "assistant")[1]?.["uuid"]);
  const sent = (await api.requests()).length;

  const pivot = second.slice(0, 8);
  const before = await stream(
    ["/context", "/cost", "/compact --dry-run", `/compact up-to ${pivot} keep the numbers`, "Thanks."],
    ["--resume", id],
  );
  const [context, cost, dry, compacted] = resultsIn(before).map(told);
  // What is told of the size is what is planned with.
  expect(context).toMatchObject({ name: "context", pressure: "none", plan: { steps: [] } });
  expect(context?.["tokens"]).toBe((context?.["plan"] as Told | undefined)?.["tokens"]);
  const categories = (context?.["categories"] ?? []) as unknown as readonly { readonly tokens: number }[];
  const sum = categories.reduce((all, { tokens }) => all + tokens, 0);
  expect(sum + Number(context?.["unattributed"])).toBe(context?.["tokens"]);
  expect(Math.abs(Number(context?.["unattributed"]))).toBeLessThan(Number(context?.["tokens"]) / 20);
  const texts = resultsIn(before).map(({ result }) => String(result));
  expect(texts[0]).toMatch(/results of Bash \(5\)[^]*compacted at /);
  // The bill of the first process.
  expect(Number((cost?.["total"] as Told | undefined)?.["dollars"])).toBeCloseTo(
    Number(first.said["cost"]),
    9,
  );
  expect(texts[1]).toMatch(/claude-sonnet-5 +sdk +6/);
  expect(dry?.["plan"]).toMatchObject({ tier: "full", writer: "fork", cost: { call: expect.any(Number) } });
  expect(texts[2]).toMatch(/^It would compact [^]*written by fork[^]*kept word for word[^]*\$0\.\d/);
  expect(compacted).toMatchObject({ tokensBefore: context?.["tokens"], variant: "up_to" });
  expect(Number(compacted?.["tokensAfter"])).toBeLessThan(Number(compacted?.["tokensBefore"]));
  expect(before.some(({ subtype }) => subtype === "compact_boundary")).toBe(true);
  expect(resultsIn(before).at(-1)).toMatchObject({ result: "All done.", compactions: 1 });
  // One call wrote the summary, one answered; nothing else was asked of a model.
  expect((await api.requests()).length).toBe(sent + 2);

  const prompts = [
    "/undo",
    "/undo",
    `/compact from ${pivot}`,
    "/undo",
    "/compact",
    "/undo",
    "/context",
    "/clear-results",
    "/context",
    "/nope and more",
    "/undo now",
    "/clear",
    "/context",
  ];
  const lines = await stream(prompts, ["--resume", id]);
  const results = resultsIn(lines);
  expect(results.map(({ result }) => String(result).split(/[:.→]/)[0])).toEqual([
    "The last compaction is undone",
    "There is no compaction to undo",
    expect.stringMatching(/^Compacted /),
    "The last compaction is undone",
    expect.stringMatching(/^Compacted /),
    "The last compaction is undone",
    expect.stringMatching(/^[\d,]+ of 1,000,000 tokens/),
    "Cleared 2 results",
    expect.stringMatching(/^[\d,]+ of 1,000,000 tokens/),
    "There is no command /nope",
    "/undo takes no arguments",
    "A new conversation begins",
    expect.stringMatching(/^[\d,]+ of 1,000,000 tokens/),
  ]);
  expect(results.map((line) => line["is_error"] === true)).toEqual(
    prompts.map((_, at) => [1, 9, 10].includes(at)),
  );
  const [undone, , , , , , again, , after, unknown, , anew, empty] = results.map(told);
  // Of the compaction of another process, with what was said since.
  expect(Number(undone?.["tokensAfter"])).toBeGreaterThan(Number(context?.["tokens"]));
  expect(again?.["accounting"]).toMatchObject({ toolResults: { Bash: { count: 5 } } });
  expect(Number(after?.["tokens"])).toBeLessThan(Number(again?.["tokens"]) / 2);
  expect(unknown).toEqual({ name: "nope" });
  expect(results[9]?.["result"]).toMatch(/: there are \/clear, .*\/undo\.$/);
  expect(anew).toMatchObject({ previousSessionId: id });
  expect(empty?.["accounting"]).toMatchObject({ total: 0 });
  const begun = lines.filter(({ subtype }) => subtype === "init").map((line) => line["session_id"]);
  expect(begun).toEqual([id, anew?.["sessionId"]]);
  const all = linesOf(await readFile(transcript?.path ?? "", "utf8"));
  const thanks = all.filter(
    ({ type, message }) => type === "user" && (message as Told)["content"] === "Thanks.",
  );
  expect(thanks.length).toBeGreaterThanOrEqual(2);
  const copies = all.filter((line) => "pinnedUuid" in line);
  expect(copies.at(-1)).toMatchObject({ pinnedUuid: stored[0]?.["uuid"], isPinned: true });
});

it("a branch leaves its origin as it is, and what cannot go on says what can be done here", async () => {
  const { at, api, ask } = await setUp();
  const first = await ask(["Do the work."]);
  const id = String(first.said["sessionId"]);
  const [origin] = await transcriptsIn(at.data);
  const before = await readFile(origin?.path ?? "", "utf8");
  const answers = linesOf(before).filter(({ type }) => type === "assistant");
  const third = String(answers[2]?.["uuid"]);
  const branched = await ask(["Go on.", "--resume", id, "--fork-session", "--at", third.slice(0, 8)]);
  const own = String(branched.said["sessionId"]);
  expect(branched.said).toMatchObject({ subtype: "success", turns: 3 });
  expect(own).not.toBe(id);
  expect(branched.stderr).toContain(`palimpsest: this is a new conversation, ${own}; ${id} stays as it is\n`);
  expect(await readFile(origin?.path ?? "", "utf8")).toBe(before);
  const all = await transcriptsIn(at.data);
  const copy = linesOf(await readFile(all.find((one) => one.id === own)?.path ?? "", "utf8"));
  expect(copy[0]).toMatchObject({ subtype: "branched", branchedFrom: { sessionId: id } });
  expect(copy.map((line) => line["uuid"])).toContain(third);
  expect(copy.map((line) => line["uuid"])).not.toContain(answers[3]?.["uuid"]);
  // The beginning is that of the other one, so it is in the cache.
  expect((branched.said["usage"] as Told)["cacheReadTokens"]).toBeGreaterThan(20_000);
  const sent = (await api.requests()).length;

  const nowhere = await ask(["Go on.", "--resume", id, "--branch", "--at", "00000000"]);
  expect(nowhere).toMatchObject({
    code: 1,
    stderr: 'palimpsest: There is no message "00000000" in the conversation.\n',
  });
  expect(await transcriptsIn(at.data)).toHaveLength(2);

  const held = await ask(["Go on.", "--resume", id, "--window", "24000"], {
    PALIMPSEST_DISABLE_AUTO_COMPACT: "true",
  });
  expect(held.said).toMatchObject({ subtype: "error_held", is_error: true });
  const advice = String(held.said["result"]);
  expect(advice).toContain(`With --resume ${id}: -p "/compact" summarises it; -p "/clear-results"`);
  expect(advice).toContain("--at MESSAGE");
  const cleared = await ask(["/clear-results", "--resume", id, "--window", "24000"]);
  expect(told(cleared.said)["cleared"]).toHaveLength(2);
  expect((await api.requests()).length).toBe(sent);
});

describe("a prompt with files and skills", () => {
  const stage = createStage("slash");
  const bodiesOf = (api: { readonly bodies: readonly string[] }) => api.bodies.join("\n");
  const run = (
    at: Folders,
    api: { readonly url: string },
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ) => runCommand(at, ["-p", ...args, "--base-url", api.url], env);

  it("shows the files that it names, under the rules, and an edit after that is not blind", async () => {
    const edit = { file_path: "src/a.ts", old_string: "one", new_string: "two" };
    const { at, api } = await stage([[{ tool: "Edit", input: edit }], [{ text: "done" }]]);
    await put(join(at.work, "src/a.ts"), "const word = 'one';\n");
    await put(
      join(at.work, "my notes.txt"),
      Array.from({ length: 30 }, (_, at) => `note ${at + 1}`).join("\n"),
    );
    await put(join(at.work, ".env"), "SECRET=leak-7f3a\n");
    await put(join(at.root, "outside.txt"), "leak-7f3a");
    await symlink(join(at.root, "outside.txt"), join(at.work, "link.txt"));
    const prompt =
      'Mend @src/a.ts, see @"my notes.txt"#L10-11 and @src/. Not @.env, @link.txt, @../outside.txt, me@example.org, @scope/package or @gone.ts';
    const ended = await run(at, api, [
      prompt,
      "--permission-mode",
      "acceptEdits",
      "--disallowed-tools",
      "Read(.env)",
    ]);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "done\n" });
    expect(await readFile(join(at.work, "src/a.ts"), "utf8")).toBe("const word = 'two';\n");
    const shown = bodiesOf(api);
    has(shown, "1\\tconst word = 'one';");
    has(shown, "lines 10 to 11");
    has(shown, "10\\tnote 10\\n11\\tnote 11");
    lacks(shown, "note 12");
    has(shown, "/src/:\\n```\\n[a folder; these are in it]\\na.ts\\n```");
    has(shown, "@scope/package or @gone.ts");
    lacks(shown, "leak-7f3a");
    const notices = ended.stderr.split("\n").filter((line) => line.includes("was not read"));
    expect(notices.map((line) => /@\S+/.exec(line)?.[0])).toEqual([
      "@.env,",
      "@link.txt,",
      "@../outside.txt,",
    ]);
  });

  it("data in a pipe names no files and gives no commands", async () => {
    const { at, api } = await stage([[{ text: "done" }]]);
    await put(join(at.work, "a.txt"), "leak-7f3a");
    const piped = await runCommand(at, ["-p", "Look", "--base-url", api.url], {}, "/clear @a.txt");
    expect(piped.code).toBe(0);
    has(bodiesOf(api), "Look\\n\\n/clear @a.txt");
    lacks(bodiesOf(api), "leak-7f3a");
    const path = await run(at, api, ["/usr/bin is missing"]);
    expect(path.stdout).toBe("done\n");
    has(bodiesOf(api), "/usr/bin is missing");
  });

  const ship = (more: string): string =>
    `---\ndescription: Ships\nargument-hint: [what] [where]\n${more}\n---\nShip $1 to $2 ($ARGUMENTS). State: !\`echo on-$1 > made.txt && cat made.txt\`\nSee @notes.md`;

  it("starts a command file by its name, in a trusted folder, with what it allows", async () => {
    const touch = (name: string) => [{ tool: "Bash", input: { command: `touch ${name}` } }];
    const done = [{ text: "done" }];
    const { at, api } = await stage([done, touch("mine.txt"), done, touch("theirs.txt"), done]);
    const allowing = "---\nallowed-tools: Bash(touch:*)\nmodel: opus\n---\nGo.";
    await put(join(at.root, ".claude/commands/mine.md"), allowing);
    await put(join(at.work, ".claude/commands/theirs.md"), allowing);
    await put(join(at.work, ".claude/commands/ops/ship.md"), ship("allowed-tools: Bash"));
    await put(join(at.work, ".claude/commands/strict.md"), ship("allowed-tools: Bash(git status:*)"));
    await put(join(at.work, "notes.md"), "mind the gap");
    await symlink("/etc/hosts", join(at.work, ".claude/commands/hosts.md"));
    const untrusted = await run(at, api, ["hi"], { PALIMPSEST_TRUST: undefined });
    expect(untrusted.code).toBe(1);
    expect(untrusted.stderr).toContain(".claude/commands/ops/ship.md: commands that /ops:ship runs");
    const prompts = [
      "/strict api prod",
      "/ops:ship x;id prod",
      "/hosts",
      '/ops:ship api "the prod"',
      "/mine",
      "/theirs",
      "Thanks.",
    ];
    const input = prompts.map((content) =>
      JSON.stringify({ type: "user", message: { role: "user", content } }),
    );
    const format = ["--input-format", "stream-json", "--output-format", "stream-json"];
    const ended = await runCommand(at, ["-p", ...format, "--base-url", api.url], {}, `${input.join("\n")}\n`);
    expect(resultsIn(linesOf(ended.stdout)).map(({ result }) => result)).toEqual([
      expect.stringMatching(/^A command of \/strict is not permitted, and nothing was sent: /),
      expect.stringContaining("may hold only letters, digits"),
      expect.stringContaining("There is no command /hosts: "),
      "done",
      "done",
      "done",
      "done",
    ]);
    // What the person's own file allows, the model may do; a repository's allows its own commands alone.
    expect(existsSync(join(at.work, "mine.txt"))).toBe(true);
    expect(existsSync(join(at.work, "theirs.txt"))).toBe(false);
    expect(api.bodies.map((body) => /"model":"([a-z-]+)/.exec(body)?.[1])).toEqual(
      ["sonnet", "opus", "opus", "opus", "opus", "sonnet"].map((line) => `claude-${line}-`),
    );
    const shown = bodiesOf(api);
    has(shown, '/ops:ship api \\"the prod\\"');
    has(shown, 'Ship api to the prod (api \\"the prod\\"). State: on-api');
    has(shown, "mind the gap");
  });
});

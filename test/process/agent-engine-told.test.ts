import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentArguments,
  linesOf,
  makeFolders,
  runCommand,
  startCommand,
  startSimulate,
  type Folders,
  type Line,
  type RunningSimulator,
} from "./agent-command.js";
import { refuseWith, startSummaryProxy, type SummaryProxy } from "./summary-proxy.js";

let folders: Folders;
let simulator: RunningSimulator | undefined;
let proxy: SummaryProxy | undefined;
beforeEach(async () => {
  folders = await makeFolders("engine-told");
});
afterEach(async () => {
  proxy?.close();
  await simulator?.stop();
  await folders.remove();
});

const WINDOW = 40_000;
const ESCAPE = "\\u001b[31m";

const shell = (step: number, lines: number) => ({
  text: `Step ${step}.`,
  calls: [{ tool: "Bash", input: { command: `seq -f 'step ${step} output line %g' 1 ${lines}` } }],
});

async function simulate(steps: readonly unknown[]): Promise<RunningSimulator> {
  const file = join(folders.root, "script.json");
  await writeFile(file, JSON.stringify({ steps, closing: "All done." }));
  simulator = await startSimulate(["--player", `script:${file}`, "--window", String(WINDOW)]);
  return simulator;
}

/** Settings of the person, with commands for events: each is a text of the shell. */
async function setHooks(hooks: Readonly<Record<string, string>>): Promise<void> {
  const entries = Object.entries(hooks).map(([name, command]) => [
    name,
    [{ hooks: [{ type: "command", command }] }],
  ]);
  await mkdir(join(folders.root, ".claude"));
  await writeFile(
    join(folders.root, ".claude", "settings.json"),
    JSON.stringify({ hooks: Object.fromEntries(entries) }),
  );
}

const smallWindow = {
  PALIMPSEST_RESERVE: "8000",
  PALIMPSEST_AUTOCOMPACT_BUFFER: "6000",
  PALIMPSEST_COMPACT_EARLY: "false",
  PALIMPSEST_DISABLE_MICROCOMPACT: "true",
};

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const bySubtype = (lines: readonly Line[], subtype: string): readonly Line[] =>
  lines.filter((line) => line["subtype"] === subtype);

describe("a run that is compacted, fails at it once, and loses its cache", () => {
  const env = {
    ...smallWindow,
    ANTHROPIC_API_KEY: "sk-a-key-of-the-test",
    PALIMPSEST_COMPACT_EXTRACTIVE: "false",
    PALIMPSEST_BREAKER_FAILURES: "1",
    PALIMPSEST_BREAKER_COOLDOWN_MS: "1",
    PALIMPSEST_COMPACT_KEEP_ALIVE_MS: "60",
  };

  async function setUp(...last: readonly unknown[]): Promise<string> {
    await setHooks({
      PreCompact: `echo before >> "$HOME/heard"; sleep 0.4; echo '{"systemMessage":"before ${ESCAPE}says"}'`,
      PostCompact: `echo '{"systemMessage":"after says"}'`,
      SessionEnd: `echo '{"systemMessage":"end says"}'`,
    });
    await writeFile(
      join(folders.work, ".mcp.json"),
      JSON.stringify({ mcpServers: { broken: { command: join(folders.root, "nothing-there") } } }),
    );
    const forget = { command: `node -e "fetch(process.env.SIM_URL+'/__sim/reset',{method:'POST'})"` };
    const steps = Array.from({ length: 12 }, (_, step) => shell(step, step < 6 ? 330 : 150));
    steps[4] = { text: "The server forgets.", calls: [{ tool: "Bash", input: forget }] };
    const { url } = await simulate([...steps, ...last]);
    // Both writers of the first compaction are refused.
    proxy = await startSummaryProxy(
      url,
      (response, count) => count <= 2 && refuseWith(response, { status: 400, type: "invalid_request_error" }),
    );
    return url;
  }

  it("is told to programs, line by line, and to a file", async () => {
    const url = await setUp();
    const events = join(folders.root, "events.jsonl");
    await writeFile(events, '{"event":"there before"}\n');
    await chmod(events, 0o600);
    const { code, stdout, stderr } = await runCommand(
      folders,
      ["-p", "Go.", ...agentArguments({ url: proxy?.url ?? "", window: WINDOW }), "--events", events],
      { ...env, SIM_URL: url },
    );
    const lines = linesOf(stdout);
    const result = lines.find(({ type }) => type === "result");
    expect({ code, result }).toMatchObject({ code: 0, result: { result: "All done.", compactions: 1 } });
    // Before the first line there is no other place for it.
    expect(stderr).toMatch(/^palimpsest: MCP server broken: .+\n$/);
    expect(lines[0]).toMatchObject({
      subtype: "init",
      mcp_servers: [{ name: "broken", status: "failed", error: expect.stringMatching(/./) }],
    });

    const status = bySubtype(lines, "status");
    expect(status[0]).toMatchObject({
      status: "compacting",
      phase: "hooks",
      elapsed_ms: expect.any(Number),
      context_tokens: expect.any(Number),
      is_sign_of_life: false,
    });
    expect(status.filter((line) => line["is_sign_of_life"] === true).length).toBeGreaterThan(1);
    expect(status.map(({ phase }) => phase)).toEqual(expect.arrayContaining(["summarising", "restoring"]));
    expect(status.at(-1)).toMatchObject({ status: null });

    const failed = bySubtype(lines, "compact_failed");
    expect(failed).toMatchObject([
      { reason: "api_error", message: expect.stringMatching(/\.$/), cost_usd: 0 },
    ]);
    expect(bySubtype(lines, "breaker_tripped")).toMatchObject([{ failures_in_a_row: 1, cooldown_ms: 1 }]);
    expect(bySubtype(lines, "breaker_closed")).toMatchObject([{ failures_in_a_row: 1 }]);
    const done = bySubtype(lines, "context");
    expect(done).toMatchObject([
      { tier: "full", writer: "fork", trigger: "auto", cost_usd: expect.any(Number), failed_attempts: [] },
    ]);
    expect(Number(done[0]?.["cost_usd"])).toBeGreaterThan(0);
    expect(Number(done[0]?.["tokensAfter"])).toBeLessThan(Number(done[0]?.["tokensBefore"]));
    const summary = lines.filter((line) => line["isCompactSummary"] === true);
    expect(summary).toMatchObject([{ type: "user", isVisibleInTranscriptOnly: true }]);

    const warnings = bySubtype(lines, "context_warning").map(({ level }) => level);
    expect(warnings.slice(0, 2)).toEqual(["warn", "error"]);
    expect(bySubtype(lines, "notice").map(({ text }) => text)).toEqual([
      "before says",
      "before says",
      "after says",
      "end says",
    ]);
    expect(await readFile(join(folders.root, "heard"), "utf8")).toBe("before\nbefore\n");

    const [broken, ...others] = bySubtype(lines, "cache_break");
    expect(others).toEqual([]);
    expect(broken).toMatchObject({
      cache_break: { cost: expect.any(Number) },
      text: expect.stringMatching(/^Cache break in sdk .+cost about \$\d/),
    });
    const details = String(broken?.["details"]);
    expect(await readFile(details, "utf8")).toContain("Cache break in sdk");
    expect((await stat(details)).mode & 0o077).toBe(0);

    const told = await readFile(events, "utf8");
    const names = linesOf(told).map(({ event }) => event);
    expect(names[0]).toBe("there before");
    for (const name of ["compact", "compact_failed", "breaker_tripped", "breaker_closed", "cache_break"]) {
      expect(names.filter((one) => one === name)).toHaveLength(1);
    }
    expect(names.filter((name) => /^compact(?:_|$)/.test(String(name)))).toEqual([
      "compact_started",
      "compact_failed",
      "compact_started",
      "compact",
    ]);
    expect(linesOf(told).find(({ event }) => event === "compact")).toMatchObject({
      at: expect.any(Number),
      session_id: lines[0]?.["session_id"],
      data: {
        writer: "fork",
        price: { dollars: expect.any(Number), withoutCache: expect.any(Number), unpricedCalls: 0 },
        accounting: { total: expect.any(Number) },
        chain: { threshold: expect.any(Number) },
      },
    });
    expect(names.filter((name) => name === "call_billed").length).toBeGreaterThan(12);
    expect(told).not.toContain("sk-a-key-of-the-test");
  });

  it("is told to people, a sentence each, and pauses are remembered", async () => {
    const url = await setUp(shell(12, 1150), shell(13, 1150), shell(14, 1150));
    const args = ["-p", "Go.", "--base-url", proxy?.url ?? "", "--window", String(WINDOW)];
    const { code, stdout, stderr } = await runCommand(
      folders,
      [...args, "--permission-mode", "bypassPermissions"],
      { ...env, SIM_URL: url },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "All done.\n" });
    const lines = stderr
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/^palimpsest: /, ""));
    const signs = lines.filter((line) => line.startsWith("still compacting"));
    expect(signs.length).toBeGreaterThan(1);
    expect(signs[0]).toMatch(/^still compacting \(Running PreCompact hooks\): \d+ s$/);
    const told = lines.filter((line) => !signs.includes(line));
    const done = told.findIndex((line) => line.startsWith("Conversation compacted"));
    expect(told.slice(0, done + 1)).toEqual([
      expect.stringMatching(/^MCP server broken: ./),
      expect.stringMatching(
        /^Cache break in sdk .+ cost about \$\d.+ What changed: \/.+\/cache-breaks\/cache-break-.+\.txt$/,
      ),
      expect.stringMatching(
        /^the context has 2\d,\d{3} of 26,\d{3} tokens: \d+% left until it is compacted$/,
      ),
      expect.stringMatching(
        /^the context has 2\d,\d{3} of 26,\d{3} tokens: \d+% left until it is compacted$/,
      ),
      "before says",
      expect.stringMatching(/^compacting the conversation \(2\d,\d{3} tokens\)$/),
      expect.stringMatching(/^a compaction came to nothing: The summary could not be written.+\.$/),
      "automatic compaction stops for 1 second, after 1 failure in a row (api_error)",
      "before says",
      expect.stringMatching(/^compacting the conversation \(2\d,\d{3} tokens\)$/),
      "after says",
      "automatic compaction works again, after 1 failure in a row",
      expect.stringMatching(/^Conversation compacted · \d\dK → \d+K · summary: fork · \$0\.\d{4}$/),
    ]);
    // Then so much came at once that it was compacted again and again.
    expect(told).toContainEqual(
      expect.stringMatching(/^compacted again after [12] answers?: .+ the threshold of 26,\d{3} tokens$/),
    );
    expect(told.at(-1)).toBe("end says");
    const gaps = JSON.parse(await readFile(join(folders.data, "gaps.json"), "utf8")) as {
      readonly sources: { readonly sdk: { readonly conversations: number } };
    };
    expect(gaps.sources.sdk.conversations).toBe(1);
    expect((await readdir(folders.data)).toSorted()).toContain("estimator.json");
  });
});

it("clearings by the API and pictures that become text are told", async () => {
  const picture = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "base64",
  );
  for (const name of ["a.png", "b.png", "c.png"]) await writeFile(join(folders.work, name), picture);
  const reads = ["a.png", "b.png", "c.png"].map((name) => ({
    text: "A picture.",
    calls: [{ tool: "Read", input: { file_path: name } }],
  }));
  const { url } = await simulate([...reads, ...Array.from({ length: 8 }, (_, step) => shell(step, 150))]);
  const args = ["--base-url", url, "--permission-mode", "bypassPermissions", "--window", String(WINDOW)];
  const { code, stderr } = await runCommand(folders, ["-p", "Go.", ...args], {
    PALIMPSEST_MEDIA_IMAGES: "1",
    PALIMPSEST_DISABLE_PROMPT_CACHING: "true",
    PALIMPSEST_CLEAR_NATIVE_TRIGGER: "1000",
    PALIMPSEST_CLEAR_NATIVE_KEEP_TOKENS: "0",
    PALIMPSEST_CLEAR_NATIVE_KEEP_LEAST: "1",
    PALIMPSEST_CLEAR_NATIVE_AT_LEAST: "500",
  });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^palimpsest: \d images? (?:or|and) documents? replaced by text/m);
  expect(stderr).toMatch(/^palimpsest: \d+ old tool results? cleared by the API · [\d,]+ → [\d,]+ tokens$/m);
});

it("--events with a place that cannot be written is wrong usage, in one sentence", async () => {
  const pipe = join(folders.root, "pipe");
  execFileSync("mkfifo", [pipe]);
  const places = [folders.work, join(folders.root, "none", "events.jsonl"), pipe];
  for (const place of places) {
    const ended = await runCommand(folders, [
      "-p",
      "go",
      "--base-url",
      "http://127.0.0.1:9",
      "--events",
      place,
    ]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^palimpsest: --events \/.+: events cannot be written there: [^\n]+\n$/);
  }
});

it("an interrupt ends a PreCompact hook with all that it started", async () => {
  const pid = join(folders.root, "pid");
  const note = `echo $! > "${pid}.new" && mv "${pid}.new" "${pid}"`;
  await setHooks({ PreCompact: `sleep 45 & ${note}; wait; echo over > "${pid}.over"` });
  const { url } = await simulate(Array.from({ length: 12 }, (_, step) => shell(step, 900)));
  const args = agentArguments({ url, window: WINDOW });
  const { child, ended } = startCommand(folders, ["-p", "Go.", ...args], smallWindow);
  while (!existsSync(pid) && child.exitCode === null) await sleep(20);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 130 });
  const started = Number(await readFile(pid, "utf8"));
  // Whoever is killed stays a while in the list of processes, until somebody takes note of its end.
  while (isRunning(started)) await sleep(20);
  expect(existsSync(`${pid}.over`)).toBe(false);
});

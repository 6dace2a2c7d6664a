import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main, makeFolders } from "./agent-command.js";
import { keys } from "./screen-terminal.js";
import { describeInEach, setScreen } from "./screen-stage.js";

const restored = /\u001b\[\?2004l[^]*\u001b\[\?25h/;

describeInEach("how the screen starts and ends", ({ setScreen, start, compare }) => {
  it("says in two lines that there is no key, and lets the person choose", async () => {
    const at = await makeFolders("no-key");
    const screen = await start(at, { env: { ANTHROPIC_API_KEY: undefined } });
    await screen.untilScreen("watch the demo");
    expect(screen.screen()).toContain("There is no key: ANTHROPIC_API_KEY is not set");
    await compare("the choice", screen);
    screen.type("2");
    await screen.untilScreen("so far");
    await screen.say("hello");
    await screen.until("You said: hello");
    await screen.say("/clear");
    await screen.until("A new conversation begins.");
    await compare("it answered", screen);
    const other = await start(at, { env: { ANTHROPIC_API_KEY: undefined } });
    await other.untilScreen("watch the demo");
    other.type("1");
    expect(await other.ended).toMatchObject({ exitCode: 1 });
    expect(other.all()).toContain("set ANTHROPIC_API_KEY in your shell, and start again");
    await screen.end();
    await at.remove();
  });

  it("asks before anything of a folder runs that is not trusted, and keeps the answer", async () => {
    const { at, open } = await setScreen([{ text: "Hello." }]);
    await mkdir(join(at.work, ".claude"));
    const hook = { type: "command", command: `touch '${join(at.root, "ran")}'` };
    await writeFile(
      join(at.work, ".claude/settings.json"),
      JSON.stringify({ hooks: { SessionStart: [{ hooks: [hook] }] } }),
    );
    const untrusted = { PALIMPSEST_TRUST: "" };
    const screen = await open({ env: untrusted });
    await screen.untilScreen("Do you trust whoever wrote what is in this folder?");
    expect(screen.screen()).toContain(".claude/settings.json: hooks.SessionStart");
    await expect(readFile(join(at.root, "ran"))).rejects.toThrow();
    await compare("the question", screen);
    screen.type("4");
    expect(await screen.ended).toMatchObject({ exitCode: 1 });
    expect(screen.all()).toContain("this folder is not trusted, and nothing was started");
    const without = await open({ env: untrusted });
    await without.untilScreen("Do you trust");
    without.type("3");
    await without.untilScreen("so far");
    await expect(readFile(join(at.root, "ran"))).rejects.toThrow();
    without.type(keys.controlD);
    await without.ended;
    const second = await open({ env: untrusted });
    await second.untilScreen("Do you trust");
    second.type("1");
    await second.untilScreen("so far");
    await expect.poll(() => readFile(join(at.root, "ran"), "utf8").catch(() => "no")).toBe("");
    second.type(keys.controlD);
    await second.ended;
    const third = await open({ env: untrusted });
    await third.untilScreen("so far");
    expect(third.all()).not.toContain("Do you trust");
  });

  it("stops with ctrl-z and goes on where it was", async () => {
    const { at, api } = await setScreen([{ text: "I am back." }]);
    const shell = await start(at, {
      program: ["/bin/bash", "--norc", "--noprofile", "-i"],
      // Typed by a short name: where the line is wrapped must not depend on where this lies.
      env: { PS1: "shell$ ", AGENT: `${process.execPath} ${main} --base-url ${api.url}` },
    });
    await shell.untilScreen("shell$");
    shell.type("$AGENT\r");
    await shell.untilScreen("so far");
    shell.type("half a word");
    await shell.untilScreen("half a word");
    shell.type(keys.controlZ);
    await shell.untilScreen(/Stopped[^]*shell\$/);
    shell.type("echo $((40 + 2))\r");
    await shell.untilScreen(/^42$/m);
    shell.type("fg\r");
    await shell.untilScreen(/❯ half a word/);
    shell.type(keys.enter);
    await shell.until("I am back.");
    await compare("it came back", shell);
    shell.type(keys.controlD);
    await shell.untilScreen(/--resume[^]*shell\$/);
  });

  it("works in 40 columns, and draws anew where the window changes", async () => {
    const long = "word ".repeat(40).trim();
    const { open } = await setScreen([{ text: `${long}\n\nThe end.` }]);
    const screen = await open({ columns: 40, rows: 12 });
    await screen.say("hello");
    await screen.untilScreen("The end.");
    await screen.settled();
    expect(
      screen
        .all()
        .split("\n")
        .filter((line) => line.startsWith("word word")),
    ).toHaveLength(5);
    await compare("40 columns", screen);
    screen.type("typed");
    await screen.untilScreen("❯ typed");
    screen.resize(30, 12);
    await screen.untilScreen(/^─{30}\n❯ typed\n/m);
    await screen.settled();
    expect(screen.rows().filter((line) => line === "❯ typed")).toHaveLength(1);
    expect(screen.screen()).toMatch(/^─{30}\n❯ typed\n[\d.]+K\/\d+K \d+% left/m);
    await compare("30 columns", screen);
    screen.resize(80, 20);
    await screen.untilScreen(/^─{80}\n❯ typed\n/m);
    await screen.settled();
    await compare("80 columns", screen);
    expect(
      screen
        .all()
        .split("\n")
        .filter((line) => line === "❯ typed"),
    ).toHaveLength(1);
    expect(screen.all()).toContain("The end.");
  });

  it("takes its own screen where it is told to, and gives back what was there", async () => {
    const { open } = await setScreen([
      { text: Array.from({ length: 60 }, (_, at) => `- item ${at}`).join("\n") },
    ]);
    const screen = await open({ args: ["--full-screen"] });
    expect(screen.raw()).toContain("\u001b[?1049h");
    await screen.say("list");
    await screen.untilScreen("item 59");
    // While it is still said, what is scrolled to moves on with it.
    await screen.untilScreen("warm until");
    await screen.settled();
    screen.type(keys.pageUp);
    await screen.untilScreen(/^- item 20$/m);
    await compare("scrolled", screen);
    screen.type(keys.pageDown);
    await screen.untilScreen("item 59");
    screen.type(keys.controlD);
    await screen.ended;
    expect(screen.raw()).toContain("\u001b[?1049l");
  });
});

describe("how the screen starts and ends", () => {
  it.each(["SIGTERM", "SIGHUP"] as const)(
    "gives the terminal back after %s, in the middle of an answer",
    async (signal) => {
      const { open } = await setScreen([
        { text: "", calls: [{ tool: "Bash", input: { command: "sleep 60" } }] },
      ]);
      const screen = await open({ args: ["--permission-mode", "bypassPermissions"] });
      await screen.say("wait");
      await screen.untilScreen("Bash sleep 60");
      screen.kill(signal);
      expect(await screen.ended).toMatchObject({ exitCode: 130 });
      expect(screen.raw()).toMatch(restored);
      expect(screen.screen()).not.toContain("esc interrupts");
    },
  );

  it("gives the terminal back where it fails, and says why after that", async () => {
    const { at, open } = await setScreen();
    const [code, signal] = [join(at.root, "fail.mjs"), join(at.root, "now")];
    const fails =
      "setInterval(() => { if (existsSync(process.env.FAILS_WITH)) throw new Error('boom') }, 50);";
    await writeFile(code, `import { existsSync } from "node:fs"; ${fails}`);
    const screen = await open({ env: { NODE_OPTIONS: `--import ${code}`, FAILS_WITH: signal } });
    await writeFile(signal, "");
    expect(await screen.ended).toMatchObject({ exitCode: 1 });
    expect(screen.raw()).toMatch(/\u001b\[\?2004l[^]*\u001b\[\?25h[^]*Error: boom/);
  });

  it("ends where a signal comes while a list is shown", async () => {
    const { open } = await setScreen([{ text: "Hello." }]);
    const screen = await open();
    await screen.say("hello");
    await screen.until("Hello.");
    await screen.say("/resume");
    await screen.untilScreen("which conversation?");
    screen.kill("SIGTERM");
    expect(await screen.ended).toMatchObject({ exitCode: 130 });
    expect(screen.raw()).toMatch(restored);
  });

  it("interrupts with a signal where lines are typed, and ends with the second", async () => {
    const { open } = await setScreen([
      { text: "", calls: [{ tool: "Bash", input: { command: "sleep 60" } }] },
      { text: "Back." },
    ]);
    const screen = await open({ args: ["--permission-mode", "bypassPermissions"], env: { ACCESSIBLE: "1" } });
    screen.type("wait\r");
    await screen.until("(working; ctrl-c interrupts)");
    await screen.until("(Bash sleep 60 …)");
    screen.type(keys.controlC);
    await screen.until("It was interrupted.");
    screen.type("again\r");
    await screen.until("Back.");
    await screen.until(/Back\.[^]*so far[^]*> $|Back\.[^]*so far[^]*>$/);
    screen.type(keys.controlC);
    expect(await screen.ended).toMatchObject({ exitCode: 0 });
  });

  it("follows the background of the terminal, and takes no answer for typing", async () => {
    const { at, open } = await setScreen();
    const screen = await open();
    expect(screen.raw()).toContain("\u001b]11;?\u0007");
    expect(screen.raw()).toContain("\u001b[1;36m❯");
    screen.type("\u001b]11;rgb:ffff/ffff/ffff\u0007");
    await expect.poll(screen.raw).toContain("\u001b[1;34m❯");
    expect(screen.screen()).not.toContain("rgb");
    await mkdir(at.data, { recursive: true });
    await writeFile(join(at.data, "screen.json"), JSON.stringify({ theme: "light" }));
    const light = await open();
    expect(light.raw()).toContain("\u001b[1;34m❯");
    expect(light.raw()).not.toContain("\u001b]11;");
  });

  it("says what is wrong with its settings, and starts without them", async () => {
    const { at, open } = await setScreen();
    await mkdir(at.data, { recursive: true });
    await writeFile(
      join(at.data, "screen.json"),
      JSON.stringify({ theme: "pink", keys: { details: "ctrl+t" }, colour: 1 }),
    );
    const screen = await open();
    await screen.until("theme must be dark, light or auto.");
    await screen.until('there is no setting "colour"');
    screen.type("\u0014");
    await screen.until("There is nothing to open yet.");
  });

  it.each([
    ["ACCESSIBLE", { ACCESSIBLE: "1" }],
    ["TERM=dumb", { TERM: "dumb" }],
  ])("only writes lines with %s", async (_name, env) => {
    const { at, open } = await setScreen([
      { text: "", calls: [{ tool: "Bash", input: { command: "touch made" } }] },
      { text: "It is **made**." },
    ]);
    const screen = await open({ env: { ...env, NO_COLOR: "1" } });
    screen.type("make it\r");
    await screen.until("May it use Bash?");
    await screen.until("Answer with a number");
    screen.type("1\r");
    await screen.until("It is made.");
    await screen.until(/It is made\.\n[^]*\$[\d.]+ so far\n>/);
    expect(await readFile(join(at.work, "made"), "utf8")).toBe("");
    expect(screen.raw()).not.toContain("\u001b");
    screen.type("/details\r");
    await screen.until(/Bash touch made\n\(no output\)/);
    screen.type("/exit\r");
    expect(await screen.ended).toMatchObject({ exitCode: 0 });
  });

  it("has no colours with NO_COLOR, and no letters that a terminal without UTF-8 lacks", async () => {
    const { open } = await setScreen([{ text: "**Grüße** — 日本 ✓" }]);
    const screen = await open({ env: { NO_COLOR: "1", LANG: "C", LC_ALL: "C" } });
    await screen.untilScreen("so far");
    await screen.say("hello");
    await screen.until("Gr??e -- ?? ok");
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(screen.raw()).not.toMatch(/\u001b\[[\d;]*m|[^\u0000-\u007f]/);
  });
});

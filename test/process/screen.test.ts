import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keys } from "./screen-terminal.js";
import { describeInEach } from "./screen-stage.js";

const READ = { text: "I look.", calls: [{ tool: "Read", input: { file_path: "a.txt" } }] };
const edit = (before: string, after: string) => ({
  text: "I change it.",
  calls: [{ tool: "Edit", input: { file_path: "a.txt", old_string: before, new_string: after } }],
});

describeInEach("the agent in the terminal", ({ setScreen, compare }) => {
  it("shows what is said and answered, once and in order, and leaves the terminal as it was", async () => {
    const { open } = await setScreen([
      { text: "# A heading\n\nSome *words*.\n\n- one\n- two\n\n```js\nlet a = 1;\n```\n" },
    ]);
    const screen = await open();
    await screen.say("hello");
    await screen.untilScreen("two");
    await screen.untilScreen(/warm until \d\d:\d\d/);
    await screen.settled();
    expect(screen.all().split("\n")).toEqual([
      expect.stringMatching(/^· palimpsest [\d.]+ in .* · \/help shows what there is$/),
      "",
      "❯ hello",
      "",
      "A heading",
      "",
      "Some words.",
      "",
      "- one",
      "- two",
      "",
      "```js",
      "  let a = 1;",
      "```",
      "",
      "─".repeat(100),
      "❯",
      expect.stringMatching(
        /^sonnet-5 · [\d.]+K\/\d+K \d+% left · warm until \d\d:\d\d · next \$[\d.]+, cold \$[\d.]+ · \$[\d.]+ so far$/,
      ),
    ]);
    expect(screen.cursor()).toEqual({ row: 16, column: 2 });
    await compare("answered", screen);
    screen.type(keys.controlD);
    expect(await screen.ended).toMatchObject({ exitCode: 0 });
    expect(screen.raw()).not.toMatch(/\u001b\[[23]J/);
    expect(screen.raw()).toMatch(/\u001b\[\?2004l/);
    expect(screen.all()).toMatch(/```\n· To go on with this conversation: palimpsest --resume [\w-]{36}$/);
  });

  it("keeps what was said in the scrollback, once and in order, also where the window gets narrower", async () => {
    const items = Array.from({ length: 60 }, (_, at) => `- item ${at} of the list 日本語 👍`);
    const { open } = await setScreen([{ text: items.join("\n") }, { text: "Second answer." }]);
    const screen = await open({ columns: 90, rows: 20 });
    await screen.say("list");
    await screen.untilScreen("item 59");
    await screen.untilScreen("warm until");
    const listed = (): readonly string[] =>
      screen
        .all()
        .split("\n")
        .filter((line) => line.startsWith("- item"));
    expect(listed()).toEqual(items);
    await compare("listed", screen);
    screen.resize(60, 16);
    await screen.untilScreen(/^─{60}$/m);
    await screen.say("again");
    await screen.until("Second answer.");
    await compare("narrower", screen);
    expect(listed()).toEqual(items);
    const lines = screen.all().split("\n");
    expect(lines.filter((line) => line === "Second answer.")).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("❯ again"))).toHaveLength(1);
  });

  it("asks before an edit, shows what it changes, and takes a no with a reason", async () => {
    const { at, open, api } = await setScreen([READ, edit("old", "new"), { text: "Then not." }]);
    await writeFile(join(at.work, "a.txt"), "old\n");
    const screen = await open();
    await screen.say("change it");
    await screen.untilScreen("May it use Edit?");
    expect(screen.screen()).toContain("- old");
    expect(screen.screen()).toContain("+ new");
    expect(screen.raw()).toContain("\u0007");
    await screen.untilScreen("yes, once");
    await compare("a permission is asked for", screen);
    screen.type("4");
    await screen.untilScreen("Why not, or what instead?");
    await screen.say("keep it as it is");
    await screen.until("Then not.");
    expect(await readFile(join(at.work, "a.txt"), "utf8")).toBe("old\n");
    expect(JSON.stringify(api.bodies.at(-1)?.messages)).toContain("They say: keep it as it is");
  });

  it("keeps a permission for the session, and always", async () => {
    const touch = (name: string) => ({
      text: "",
      calls: [{ tool: "Bash", input: { command: `touch ${name}` } }],
    });
    const { at, open } = await setScreen([touch("one"), touch("two"), { text: "Both are there." }]);
    const screen = await open();
    await screen.say("make them");
    await screen.untilScreen("May it use Bash?");
    await screen.untilScreen("writes Bash(touch one:*)");
    screen.type("3");
    await screen.untilScreen("touch two");
    await screen.untilScreen("yes, once");
    screen.type("1");
    await screen.until("Both are there.");
    await compare("it was allowed", screen);
    const settings = JSON.parse(await readFile(join(at.data, "settings.json"), "utf8"));
    expect(settings).toEqual({ permissions: { allow: ["Bash(touch one:*)"] } });
  });

  it("interrupts with escape, and goes on", async () => {
    const { open } = await setScreen([
      { text: "", calls: [{ tool: "Bash", input: { command: "sleep 60" } }] },
      { text: "Back." },
    ]);
    const screen = await open({ args: ["--permission-mode", "bypassPermissions"] });
    await screen.say("wait");
    await screen.untilScreen("Bash sleep 60");
    await screen.untilScreen("esc interrupts");
    screen.type(keys.escape);
    await screen.until("It was interrupted.");
    await screen.say("again");
    await screen.until("Back.");
    await compare("it goes on", screen);
  });

  it("queues what is typed meanwhile, and sends it with the next request", async () => {
    const { at, open, api } = await setScreen([
      {
        text: "",
        calls: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } }],
      },
      { text: "I heard you." },
    ]);
    const screen = await open({ args: ["--permission-mode", "bypassPermissions"] });
    await screen.say("work");
    await screen.untilScreen("Bash until");
    await screen.say("also mind the tests");
    await screen.untilScreen("also mind the tests (waits)");
    await writeFile(join(at.work, "go"), "");
    await screen.until("I heard you.");
    expect(api.bodies).toHaveLength(2);
    expect(JSON.stringify(api.bodies[1]?.messages)).toContain("also mind the tests");
    expect(screen.screen()).not.toContain("(waits)");
    await compare("it was sent", screen);
  });

  it("opens a tool's whole output with ctrl-o", async () => {
    const { open } = await setScreen([
      { text: "", calls: [{ tool: "Bash", input: { command: "seq 1 200" } }] },
      { text: "Counted." },
    ]);
    const screen = await open();
    await screen.say("count");
    await screen.until("Counted.");
    expect(screen.all()).toContain("… 195 more lines · ctrl-o");
    screen.type(keys.controlO);
    await screen.untilScreen("of 200");
    screen.type("G");
    await screen.untilScreen(/^200$/m);
    await compare("the end of an output", screen);
    screen.type("q");
    await screen.untilScreen(/❯/);
    expect(screen.all()).not.toMatch(/^199$/m);
  });

  it("takes a paste of 100 KB as one piece", async () => {
    const { open, api } = await setScreen([{ text: "Long." }]);
    const screen = await open();
    const text = Array.from({ length: 2000 }, (_, at) => `line ${at} ${"x".repeat(40)}`).join("\n");
    expect(text.length).toBeGreaterThan(90_000);
    screen.paste(text);
    await screen.untilScreen(/\[paste #1 \+2000 lines\]/);
    screen.type(keys.enter);
    await screen.until("Long.");
    await compare("it was sent", screen);
    expect(JSON.stringify(api.bodies[0]?.messages)).toContain("line 1999 xxxx");
    expect(screen.all()).toContain("more lines");
  });

  it("searches what was said before with ctrl-r", async () => {
    const { open } = await setScreen([{ text: "One." }, { text: "Two." }]);
    const screen = await open();
    await screen.say("the first thing");
    await screen.until("One.");
    await screen.say("something else");
    await screen.until("Two.");
    screen.type(keys.controlR);
    await screen.untilScreen("what you said before");
    screen.type("first");
    await screen.untilScreen(/❯ first/);
    await compare("found", screen);
    screen.type(keys.enter);
    await screen.untilScreen(/❯ the first thing\nsonnet-5 · [\d.]+K/);
  });
});

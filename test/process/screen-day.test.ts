import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { transcriptsIn } from "./agent-command.js";
import { keys } from "./screen-terminal.js";
import { describeInEach } from "./screen-stage.js";

const call = (tool: string, input: object, text = "") => ({
  text,
  calls: [{ tool, input: input as Record<string, unknown> }],
});
const replace = (before: string, after: string) =>
  call("Edit", { file_path: "src/parser.ts", old_string: before, new_string: after });
const count = (at: number) => call("Bash", { command: `seq -f 'filler ${at} line %g' 1 1200` });

const PROMPT = /^❯$/m;

describeInEach("a day of a person with the screen", ({ setScreen, compare }) => {
  it("plans, edits, pins, compacts, undoes, goes back, goes home, and comes back to a cold cache", async () => {
    const { at, open, api } = await setScreen([
      call("Read", { file_path: "src/parser.ts" }, "I read first."),
      call("ExitPlanMode", { plan: "1. Rename it.\n2. Check it." }),
      replace("alpha", "beta"),
      replace("beta", "gamma"),
      { text: "Renamed twice." },
      count(1),
      { text: "Counted 1." },
      count(2),
      { text: "Counted 2." },
      count(3),
      { text: "Counted 3." },
      { text: "Good morning." },
    ]);
    await mkdir(join(at.work, "src"));
    await writeFile(join(at.work, "src/parser.ts"), "export const alpha = 1;\n");
    const morning = await open({ args: ["--window", "120000"], columns: 130, rows: 40 });

    await morning.say("/plan");
    await morning.untilScreen(/so far · plan/);
    await morning.say("rename alpha");
    await morning.untilScreen("The agent hands in its plan.");
    expect(morning.screen()).toContain("2. Check it.");
    morning.type("1");

    await morning.untilScreen("May it use Edit?");
    expect(morning.screen()).toMatch(/- alpha\n\+ beta/);
    morning.type("1");
    await morning.untilScreen(/- beta\n\+ gamma/);
    await morning.untilScreen("yes, once");
    morning.type("1");
    await morning.until("Renamed twice.");
    expect(await readFile(join(at.work, "src/parser.ts"), "utf8")).toBe("export const gamma = 1;\n");
    expect(morning.all()).toMatch(/● Edit src\/parser\.ts\n {2}└ - beta\n {4}\+ gamma/);

    await morning.untilScreen(PROMPT);
    await morning.say("/pin never rename the file itself");
    await morning.until(/Pinned: about \d+ tokens, \$[\d.]+ a turn/);
    for (const part of [1, 2, 3]) {
      await morning.say(`count ${part}`);
      await morning.until(`Counted ${part}.`);
      await morning.untilScreen(PROMPT);
    }

    await morning.untilScreen(/compact \$[\d.]+ drops [\d.]+K/);
    await morning.say("/compact --review mind the names");
    await morning.untilScreen("The summary, before it takes the place");
    await compare("the review", morning);
    morning.type("1");
    await morning.until(/● compacted [\d.]+K → [\d.]+K · \$[\d.]+ · \d+ messages? kept/);
    morning.type(keys.controlO);
    await morning.untilScreen(/compaction [\d.]+K → [\d.]+K[^]*kept word for word/);
    morning.type("q");
    await morning.untilScreen(PROMPT);
    await morning.say("/undo");
    await morning.until("The last compaction is undone");

    await morning.untilScreen(PROMPT);
    await morning.settled();
    morning.type(keys.escape + keys.escape);
    await morning.untilScreen("go back to before which message?");
    expect(morning.screen()).toContain("count 3");
    morning.type("count 2");
    await morning.untilScreen(/❯ count 2\n/);
    morning.type(keys.enter);
    await morning.untilScreen("summarise up to here");
    await compare("going back", morning);
    morning.type(/(\d)\. summarise up to here/.exec(morning.screen())?.[1] ?? "");
    await morning.until(/● compacted[^]*● compacted/);
    await morning.untilScreen(PROMPT);
    const calls = api.bodies.length;
    morning.type(keys.controlD);
    expect(await morning.ended).toMatchObject({ exitCode: 0 });
    const id = /palimpsest --resume ([\w-]{36})/.exec(morning.all())?.[1] ?? "";

    // The next morning: what was cached is gone.
    const [transcript] = await transcriptsIn(at.data);
    const text = await readFile(transcript?.path ?? "", "utf8");
    const yesterday = (stamp: string): string => new Date(Date.parse(stamp) - 20 * 3_600_000).toISOString();
    await writeFile(
      transcript?.path ?? "",
      text.replaceAll(/"timestamp":"([^"]+)"/g, (_all, stamp: string) => `"timestamp":"${yesterday(stamp)}"`),
    );
    const next = await open({ args: ["--resume", id, "--window", "120000"], columns: 130, rows: 40 });
    await next.until("Counted 3.");
    await next.untilScreen(/cold since \d\d:\d\d/);
    await next.say("go on");
    await next.until(
      /The cache went cold: this turn costs about \$[\d.]+ before it is answered, not \$[\d.]+\./,
    );
    await next.until("Good morning.");
    await compare("the next morning", next);
    expect(api.bodies.length).toBe(calls + 1);
    const sent = JSON.stringify(api.bodies.at(-1)?.messages);
    expect(sent).toContain("Keep this in mind: never rename the file itself");
    expect(sent).toContain("filler 3 line 900");
    expect(sent).not.toContain("filler 1 line 600");
    await next.untilScreen(/warm until \d\d:\d\d/);
    await next.say("/export day.md");
    await next.until("day.md.");
    const exported = await readFile(join(at.work, "day.md"), "utf8");
    expect(exported).toContain("## You\n\nrename alpha");
    expect(exported).toContain("Good morning.");
    expect(next.raw()).not.toMatch(/\u001b\[[23]J/);
  });
});

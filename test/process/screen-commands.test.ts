import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type {
  ConversationList,
  ConversationOverview,
  RequestList,
  RequestView,
} from "../../packages/palimpsest/src/inspector/contract.js";
import { transcriptsIn } from "./agent-command.js";
import { keys, type ScreenTerminal } from "./screen-terminal.js";
import { describeInEach } from "./screen-stage.js";

const call = (tool: string, input: object) => ({
  text: "",
  calls: [{ tool, input: input as Record<string, unknown> }],
});
const counted = (at: number) => [
  call("Bash", { command: `seq -f 'filler ${at} line %g' 1 1200` }),
  { text: `Counted ${at}.` },
];

/** The inspector of the conversation on a screen, asked as its page asks it. */
async function inspect(screen: ScreenTerminal) {
  const links = (): readonly string[] => screen.all().match(/http:\S+#token=[\w-]{32}$/gm) ?? [];
  const before = links().length;
  await screen.say("/inspect");
  await screen.until(new RegExp(`(?:#token=[\\w-]{32}\\n[^]*){${before + 1}}`));
  const address = links().at(-1) ?? "";
  const { origin, hash } = new URL(address);
  return {
    address,
    async ask<Answer>(path: string, method = "GET"): Promise<Answer> {
      const headers = { authorization: `Bearer ${hash.slice("#token=".length)}` };
      return (await (await fetch(`${origin}${path}`, { method, headers })).json()) as Answer;
    },
  };
}

describeInEach("commands of the screen", ({ setScreen, compare }) => {
  it("has each of its commands typed in one of these sessions", async () => {
    const { open } = await setScreen();
    const screen = await open({ rows: 50 });
    await screen.say("/help");
    await screen.until("ctrl-z suspends");
    const named = [...screen.all().matchAll(/^\/([\w-]+) {2,}/gm)].map(([, name = ""]) => name);
    expect(named).toEqual(expect.arrayContaining(["compact", "rewind", "exit"]));
    const sessions = await Promise.all(
      ["screen-commands.test.ts", "screen-day.test.ts"].map((name) =>
        readFile(new URL(name, import.meta.url), "utf8"),
      ),
    );
    const typed = new Set(
      sessions.flatMap((text) => [...text.matchAll(/say\("\/([\w-]+)/g)].map(([, name]) => name)),
    );
    expect(named.filter((name) => !typed.has(name))).toEqual([]);
  });

  it("lists what there is", async () => {
    const { at, open } = await setScreen([{ text: "Hello." }]);
    await writeFile(join(at.work, "AGENTS.md"), "Be brief.");
    const screen = await open();
    await screen.say("/help");
    await screen.until(/\/rewind +Goes back to an earlier message/);
    await screen.until(
      /\/compact +\[from MESSAGE \| up-to MESSAGE\] \[--dry-run\] \[instructions\] \[--review\]: Summarises/,
    );
    await screen.say("/memory");
    await screen.until(/AGENTS\.md {2}project, 9 characters/);
    await screen.say("/hooks");
    await screen.until("There are no hooks.");
    await screen.say("/mcp");
    await screen.until("There are no MCP servers.");
    await screen.say("/agents");
    await screen.until("explore  ");
    await screen.say("/skills");
    await screen.until("There are no skills.");
    await screen.say("/permissions");
    await screen.until(/mode default\nThere are no rules\./);
    await screen.say("/permissions bypassPermissions");
    await screen.until("has to be chosen at the start");
    await screen.say("/permissions acceptEdits");
    await screen.untilScreen(/so far · acceptEdits/);
    screen.type(keys.shiftTab);
    await screen.untilScreen(/so far · plan/);
    await screen.say("/plan");
    await screen.until("Plan mode is off.");
    await screen.say("/model haiku");
    await screen.until(/Requests go to claude-haiku[\w-]+ from now on/);
    await screen.say("/cost");
    await screen.until("Nothing was billed in this conversation yet.");
    await screen.say("/nonsense");
    await screen.until("There is no command /nonsense");
    await screen.until("/rewind");
    await screen.say("/verbosity quiet");
    await screen.say("!echo typed by $((1+1)) hands");
    await screen.until("typed by 2 hands");
    await screen.say("/context");
    await screen.until(/compact/);
    await screen.say("/clear-results");
    await screen.until("There are no old results of tools to clear.");
    await screen.say("/compact --dry-run");
    await screen.until("Nothing would be compacted");
    await screen.say("/details");
    await screen.until("There is nothing to open yet.");
    await compare("every list", screen);
    await screen.say("/exit");
    expect(await screen.ended).toEqual({ exitCode: 0 });
  });

  it("tells the model of commands that were typed, and asks aside without entering the conversation", async () => {
    const { open, api } = await setScreen([{ text: "First." }, { text: "Told by the model." }]);
    const screen = await open();
    await screen.say("!echo from the shell");
    await screen.until(/^from the shell$/m);
    await screen.say("one");
    await screen.until("First.");
    expect(JSON.stringify(api.bodies[0]?.messages)).toContain("<bash-stdout>from the shell");
    for (const [typed, said] of [
      ["/compact", "There is nothing to gain yet"],
      ["/compact from now on be brief", '"now" is not a message of this conversation'],
    ] as const) {
      await screen.say(typed);
      await screen.until(said);
    }
    expect(api.bodies).toHaveLength(1);
    await screen.say("/btw what is this?");
    await screen.until("by the way: Told by the model.");
    await screen.until("beside the conversation");
    await screen.say("two");
    await screen.until(/❯ two\n\nTold by the model\./);
    await compare("asked aside", screen);
    const last = JSON.stringify(api.bodies.at(-1)?.messages);
    expect(last).not.toContain("what is this?");
    expect(last).not.toContain("Told by the model.");
  });

  it("clears, resumes by search, exports and recalls", async () => {
    const { at, open } = await setScreen([{ text: "It is told." }]);
    const screen = await open();
    await screen.say("tell me of whales");
    await screen.until(/whales\n\nIt is told\./);
    await screen.say("/clear");
    await screen.until("A new conversation begins.");
    await screen.say("tell me of stars");
    await screen.until(/stars\n\nIt is told\./);
    await screen.say("/resume");
    await screen.untilScreen("which conversation?");
    screen.type("whales");
    await screen.untilScreen(/❯ whales[^]*tell me of whales/);
    screen.type(keys.enter);
    await screen.until(/This is [\w-]{36} now/);
    await screen.say("/recall whales");
    await screen.until(/\[1\] .*, user, message [^]*tell me of whales/);
    await screen.say("/export talk.md");
    await screen.until("talk.md.");
    expect(await readFile(join(at.work, "talk.md"), "utf8")).toBe(
      "## You\n\ntell me of whales\n\n## Agent\n\nIt is told.\n",
    );
    await screen.say("/export talk.md");
    await screen.until("is there already: name another file.");
    await compare("exported", screen);
  });

  it("compacts with a review, shows what came of it, and takes it back", async () => {
    const { open, api } = await setScreen([
      ...counted(1),
      ...counted(2),
      ...counted(3),
      { text: "On it goes." },
    ]);
    const screen = await open({ args: ["--window", "120000"], columns: 130 });
    for (const at of [1, 2, 3]) {
      await screen.say(`count ${at}`);
      await screen.until(`Counted ${at}.`);
    }
    await screen.untilScreen(/compact \$[\d.]+ drops [\d.]+K/);
    await screen.say("/compact --review keep the numbers");
    await screen.untilScreen("The summary, before it takes the place");
    await screen.untilScreen(/summarised: \d+ messages · kept word for word: \d+/);
    await screen.untilScreen(/1–\d+ of \d+ lines · page up, page down/);
    await compare("a review", screen);
    screen.type(keys.pageDown);
    await screen.untilScreen(/[2-9]\d*–(\d+) of \1 lines/);
    screen.type("2");
    await screen.untilScreen("The summary, as you want it");
    screen.type("MARKED BY HAND ");
    await screen.untilScreen("MARKED BY HAND");
    screen.type(keys.enter);
    await screen.until(/● compacted [\d.]+K → [\d.]+K · .* · ctrl-o/);
    screen.type(keys.controlO);
    await screen.untilScreen("kept word for word");
    await compare("what a compaction did", screen);
    screen.type("q");
    await screen.say("go on");
    await screen.until("On it goes.");
    expect(JSON.stringify(api.bodies.at(-1)?.messages)).toContain("MARKED BY HAND");
    const inspector = await inspect(screen);
    const { conversations } = await inspector.ask<ConversationList>("/api/conversations");
    expect(conversations).toMatchObject([{ agent: "palimpsest", live: true }]);
    const conversation = `/api/conversations/${conversations[0]?.id}`;
    const overview = await inspector.ask<ConversationOverview>(conversation);
    expect(overview.canUndo).toBe(true);
    expect(overview.thresholds.map(({ name }) => name)).toEqual(["compaction", "full"]);
    const { requests } = await inspector.ask<RequestList>(`${conversation}/requests?from=0&count=200`);
    const view = await inspector.ask<RequestView>(`${conversation}/requests/${requests.at(-1)?.number}`);
    expect(view.source).toBe("recorded");
    expect(view.blocks.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["system", "tools"]));
    expect(await inspector.ask(`${conversation}/undo`, "POST")).toMatchObject({ undone: true });
    await screen.until("The last compaction is undone");
    await screen.say("/undo");
    await screen.until("There is no compaction to undo");
    expect((await inspect(screen)).address).toBe(inspector.address);
    await screen.say("/compact --review");
    await screen.untilScreen("do not compact");
    screen.type("3");
    await screen.until("The compaction was called off; the conversation is unchanged.");
    await screen.say("/exit");
    await screen.ended;
    await expect(fetch(inspector.address)).rejects.toThrow();
  });

  it("shows a summary from notes before it is swapped in, though no model wrote it", async () => {
    const { at, open, api } = await setScreen([...counted(1), ...counted(2), { text: "And on." }]);
    await mkdir(at.data, { recursive: true });
    const notes = {
      notes: true,
      notesFirstTokens: 1000,
      notesToolCallsBetweenUpdates: 0,
      notesKeepTokens: 1,
    };
    await writeFile(join(at.data, "settings.json"), JSON.stringify(notes));
    const screen = await open({ args: ["--window", "120000"] });
    for (const part of [1, 2]) {
      await screen.say(`count ${part}`);
      await screen.until(`Counted ${part}.`);
    }
    await screen.untilScreen(/^❯$/m);
    await screen.say("and now?");
    await screen.until("And on.");
    await screen.untilScreen(/^❯$/m);
    await screen.say("/compact --review");
    await screen.untilScreen("written by the notes that were kept, without a call");
    const [transcript] = await transcriptsIn(at.data);
    expect(await readFile(transcript?.path ?? "", "utf8")).not.toContain("compact_boundary");
    screen.type("3");
    await screen.until("The compaction was called off; the conversation is unchanged.");
    expect(await readFile(transcript?.path ?? "", "utf8")).not.toContain("compact_boundary");
    const calls = api.bodies.length;
    await screen.untilScreen(/^❯$/m);
    await screen.say("/compact --review");
    await screen.untilScreen("take it");
    screen.type("1");
    await screen.until(/● compacted [\d.]+K → [\d.]+K/);
    expect(api.bodies.length).toBe(calls);
    expect(await readFile(transcript?.path ?? "", "utf8")).toContain("compact_boundary");
  });

  it("goes back to a message, with the files that the agent has written since", async () => {
    const { at, open } = await setScreen([
      call("Write", { file_path: "made.txt", content: "made\n" }),
      { text: "Made." },
      call("Read", { file_path: "a.txt" }),
      call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }),
      { text: "Edited." },
    ]);
    await writeFile(join(at.work, "a.txt"), "one\n");
    const screen = await open({ args: ["--permission-mode", "acceptEdits"] });
    await screen.say("make it");
    await screen.until("Made.");
    await screen.say("edit it");
    await screen.until("Edited.");
    expect(await readFile(join(at.work, "a.txt"), "utf8")).toBe("two\n");
    await screen.untilScreen(/^❯$/m);
    await screen.settled();
    screen.type(keys.escape + keys.escape);
    await screen.untilScreen("go back to before which message?");
    screen.type(keys.enter);
    await screen.untilScreen("go back, with the files");
    await compare("going back", screen);
    screen.type("2");
    await screen.until("The conversation goes on from there");
    await screen.untilScreen(/^─+\n❯ edit it/m);
    expect(await readFile(join(at.work, "a.txt"), "utf8")).toBe("one\n");
    expect(await readFile(join(at.work, "made.txt"), "utf8")).toBe("made\n");
  });

  it("goes on from an earlier message in a new conversation, and before the first one anew", async () => {
    const { open, api } = await setScreen([{ text: "One." }, { text: "Two." }]);
    const screen = await open();
    await screen.say("first question");
    await screen.until("One.");
    await screen.say("second question");
    await screen.until("Two.");
    await screen.untilScreen(/^❯$/m);
    await screen.say("/rewind");
    await screen.untilScreen("go back to before which message?");
    screen.type(keys.enter);
    await screen.untilScreen("go on from there in a new conversation");
    expect(screen.screen()).not.toContain("with the files");
    screen.type("4");
    await screen.until(/This is [\w-]{36} now/);
    await screen.untilScreen(/^─+\n❯ second question/m);
    screen.type(", asked anew\r");
    await screen.until(/second question, asked anew\n\nTwo\./);
    const branch = JSON.stringify(api.bodies.at(-1)?.messages);
    expect(branch).toContain("first question");
    expect(branch.match(/second question/g)).toHaveLength(1);
    await screen.untilScreen(/^❯$/m);
    await screen.say("/rewind");
    await screen.untilScreen("go back to before which message?");
    screen.type("first");
    await screen.untilScreen(/❯ first\n/);
    screen.type(keys.enter);
    await screen.untilScreen("go back, the conversation alone");
    screen.type("1");
    await screen.until("A new conversation begins.");
    await screen.untilScreen(/^─+\n❯ first question/m);
    await compare("begun anew", screen);
  });

  it("summarises up to a message that is picked, pins, and says what that costs", async () => {
    const { open, api } = await setScreen([...counted(1), ...counted(2), ...counted(3), { text: "After." }]);
    const screen = await open({ args: ["--window", "60000"] });
    await screen.say("count 1");
    await screen.until("Counted 1.");
    await screen.say("/pin never touch the lock file");
    await screen.until(/Pinned: about \d+ tokens, \$[\d.]+ a turn/);
    for (const at of [2, 3]) {
      await screen.say(`count ${at}`);
      await screen.until(`Counted ${at}.`);
    }
    await screen.untilScreen(/^❯$/m);
    await screen.say("/compact up-to");
    await screen.untilScreen("summarise what stands before which message?");
    await compare("a message is picked", screen);
    screen.type(keys.enter);
    await screen.until(/● compacted/);
    await screen.say("and then?");
    await screen.until("After.");
    const last = JSON.stringify(api.bodies.at(-1)?.messages);
    expect(last).toContain("Keep this in mind: never touch the lock file");
    expect(last).not.toContain("filler 1 line 600");
  });

  it("asks the person what the agent wants to know, and shows a plan before it is carried out", async () => {
    const { open, api } = await setScreen([
      call("AskUser", {
        questions: [{ question: "Tabs or spaces?", options: [{ label: "tabs" }, { label: "spaces" }] }],
      }),
      call("ExitPlanMode", { plan: "# The plan\n\n1. Do it." }),
      { text: "Begun." },
    ]);
    const screen = await open({ args: ["--permission-mode", "plan"] });
    await screen.say("plan it");
    await screen.untilScreen("Tabs or spaces?");
    await compare("a question", screen);
    screen.type("3");
    await screen.untilScreen("enter sends");
    await screen.say("neither of them");
    await screen.untilScreen("yes, and accept edits");
    expect(screen.all()).toContain("1. Do it.");
    await compare("a plan", screen);
    screen.type("2");
    await screen.until("Begun.");
    await screen.untilScreen(/acceptEdits/);
    expect(JSON.stringify(api.bodies[1]?.messages)).toContain("neither of them");
  });

  it("goes on with a conversation of 2,000 messages, and shows its end", async () => {
    const { at, open, api } = await setScreen([{ text: "Still here." }]);
    const first = await open();
    await first.say("begin");
    await first.until("Still here.");
    first.type(keys.controlD);
    await first.ended;
    const [transcript] = await transcriptsIn(at.data);
    const { path, id } = transcript ?? { path: "", id: "" };
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const parsed = lines.map((line) => JSON.parse(line) as { readonly type?: string; readonly uuid: string });
    const asked = parsed.find(({ type }) => type === "user");
    const answered = parsed.find(({ type }) => type === "assistant");
    let parentUuid = parsed.at(-1)?.uuid ?? null;
    const more = Array.from({ length: 2000 }, (_, index) => {
      const isQuestion = index % 2 === 0;
      const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
      const base = { ...(isQuestion ? asked : answered), uuid, parentUuid };
      parentUuid = uuid;
      const message = isQuestion
        ? { role: "user", content: `question ${index} 日本語 👍` }
        : {
            ...(answered as { readonly message?: object }).message,
            id: `msg_${index}`,
            content: [{ type: "text", text: `answer ${index} 日本語 👍` }],
          };
      return JSON.stringify({ ...base, message });
    });
    await writeFile(path, `${[...lines, ...more].join("\n")}\n`);
    const screen = await open({ args: ["--resume", id] });
    await screen.until("answer 1999 日本語 👍");
    await screen.until(/1,\d{3} earlier messages are part of the conversation/);
    expect(screen.all()).not.toContain("answer 1901 ");
    await screen.untilScreen("so far");
    await screen.say("and now?");
    await screen.until(/and now\?\n\n\S/);
    await expect.poll(() => api.bodies.length).toBe(2);
    expect(api.bodies.at(-1)?.messages.length).toBeGreaterThan(1900);
    await screen.untilScreen(/^❯$/m);
    screen.type("日本語を打つ👍x");
    await screen.untilScreen("❯ 日本語を打つ👍x");
    await screen.settled();
    expect(screen.cursor().column).toBe(2 + 12 + 2 + 1);
    await compare("typed", screen);
  });
});

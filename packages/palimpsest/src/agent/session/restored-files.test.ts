import type { Message } from "@palimpsest/core";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call } from "../loop/testing/loop-agent.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

const LONG = Array.from({ length: 1500 }, (_, at) => `Thought ${at} about the plan.`).join("\n");

/** The files that stand in a conversation as attachments, by their names. */
const restoredIn = (live: readonly Message[]): readonly string[] =>
  live.flatMap((message) =>
    message.type === "attachment" && message.attachment.type === "file"
      ? [String(message.attachment["path"]).split("/").at(-1) ?? ""]
      : [],
  );

const denying = (rules: readonly string[]) => ({
  allow: [],
  ask: [],
  deny: rules.map((rule) => ({ rule, base: place.cwd, source: "the test" })),
  additionalDirectories: [],
});

const names = [".env", "secrets/key.txt", "swapped.txt", "open.txt"];

/** A session that has read all of them, and is opened again under rules that forbid some. */
async function compactUnder(
  rules: readonly string[],
): Promise<{ restored: readonly string[]; shown: string }> {
  for (const name of names) await place.write(name, `old-of-${name}\n`);
  await writeFile(join(dirname(place.cwd), "outside.txt"), "new-of-the-outside\n");
  const calls = names.map((name) => call("Read", { file_path: name }));
  const first = await place.open([{ text: LONG, calls }, "Read."], { id: "one" });
  await first.say("Read them.");
  await first.close();
  const again = await place.open(["Nothing else."], {
    id: "one",
    isResumed: true,
    settings: { ...(await settingsOf()), permissions: denying(rules) },
  });
  // What comes back is read again from the disk.
  for (const name of names) await place.write(name, `new-of-${name}\n`);
  await rm(join(place.cwd, "swapped.txt"));
  await symlink(join(dirname(place.cwd), "outside.txt"), join(place.cwd, "swapped.txt"));
  expect(await again.conversation.compact()).toMatchObject({ kind: "compacted" });
  const before = again.requests.length;
  await again.say("And now?");
  await again.close();
  const shown = JSON.stringify(again.requests.slice(before));
  return { restored: restoredIn(again.conversation.live), shown };
}

async function settingsOf() {
  const { defaultSettings } = await import("@palimpsest/core");
  return {
    engine: { ...defaultSettings, keepRecentTokens: 0, restoreFiles: 10 },
    hooks: {},
    env: {},
    files: [],
    warnings: [],
  };
}

it("files in use come back behind a compaction, but for one that leads out of the working directory", async () => {
  const { restored, shown } = await compactUnder([]);
  expect(restored).toEqual(expect.arrayContaining(["open.txt", ".env", "key.txt"]));
  expect(shown).toContain("new-of-.env");
  expect(restored).not.toContain("swapped.txt");
  expect(shown).not.toContain("new-of-the-outside");
});

it("a file that a rule forbids to read does not come back, whatever was read before", async () => {
  const { restored, shown } = await compactUnder(["Read(.env)", "Read(Secrets/**)"]);
  expect(restored).toContain("open.txt");
  expect(shown).toContain("new-of-open.txt");
  expect(shown).not.toMatch(/new-of-\.env|new-of-secrets|new-of-the-outside/);
  expect(restored).not.toEqual(expect.arrayContaining([".env"]));
});

it("a file that a command showed comes back, and may be edited", async () => {
  await place.write("shown.txt", "one\ntwo\nthree\n");
  const session = await place.open(
    [
      { text: LONG, calls: [call("Bash", { command: "sed -n '1,2p' shown.txt" })] },
      { text: LONG, calls: [call("Edit", { file_path: "shown.txt", old_string: "two", new_string: "2" })] },
      "Done.",
    ],
    { id: "shown", engine: { keepRecentTokens: 0 } },
  );
  await session.say("Look at it, and change it.");
  expect(await readFile(join(place.cwd, "shown.txt"), "utf8")).toBe("one\n2\nthree\n");
  expect(await session.conversation.compact()).toMatchObject({ kind: "compacted" });
  expect(restoredIn(session.conversation.live)).toEqual(["shown.txt"]);
  await session.close();
});

const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAABwAAAAcCAAAAABXZoBIAAAAFElEQVR42mP4jwcwjEqOSo5KwgAA0FYNHp/Mo7cAAAAASUVORK5CYII=";

it("what the prompt shows, the session's own state and files that are gone take no file's place; a picture has its own", async () => {
  await place.write("CLAUDE.md", "See @docs/style.md for style.\n");
  await place.write("docs/style.md", "Two blanks.\n");
  await place.write("CLAUDE.local.md", "Mine.\n");
  await place.write(".claude/rules/tests.md", "Test first.\n");
  await place.write("gone.txt", "soon gone\n");
  await place.write("one.txt", "the first\n");
  await place.write("two.txt", "the second\n");
  await writeFile(join(place.cwd, "chart.png"), Buffer.from(PICTURE, "base64"));
  const todos = join(place.data, "sessions", "mine", "todos.json");
  const read = (path: string) => call("Read", { file_path: path });
  const session = await place.open(
    [
      {
        text: LONG,
        calls: [
          ...["one.txt", "two.txt", "chart.png", "docs/style.md", "CLAUDE.local.md"].map(read),
          call("TodoWrite", { todos: [{ content: "a", status: "pending", activeForm: "a" }] }),
        ],
      },
      { text: LONG, calls: [read(".claude/rules/tests.md"), read("gone.txt"), read(todos)] },
      "Read.",
      "Done.",
    ],
    { id: "mine", engine: { keepRecentTokens: 0 } },
  );
  await session.say("Read them.");
  await rm(join(place.cwd, "gone.txt"));
  const known = session.agent.readState.snapshot().reads.map(({ path }) => path);
  expect(known).toContain(todos);
  expect(await session.conversation.compact()).toMatchObject({ kind: "compacted" });
  const restored = restoredIn(session.conversation.live);
  // They were read at the same time.
  expect(restored.slice(0, 2).toSorted()).toEqual(["one.txt", "two.txt"]);
  expect(restored.slice(2)).toEqual(["chart.png"]);
  await session.say("And now?");
  expect(JSON.stringify(session.requests.at(-1))).toContain(PICTURE);
  await session.close();

  // Resumed, it is still known as a picture.
  const again = await place.open(["Nothing else."], { id: "mine", isResumed: true });
  const resumed = again.agent.readState.snapshot().reads.find(({ path }) => path.endsWith("chart.png"));
  expect(resumed).toMatchObject({ isPicture: true });
  await again.close();
});

import { accountOf } from "@palimpsest/core";
import type { Message } from "@palimpsest/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMessage } from "../session/find-message.js";
import type { Skill } from "../skills/skill.js";
import { readCompactArguments } from "./compact-command.js";
import { costCommand } from "./cost-command.js";
import { findMentions } from "./find-mentions.js";
import { listCommands } from "./list-commands.js";
import { parseCommand } from "./parse-command.js";
import { resolveCommand } from "./resolve-command.js";

const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description: "d",
  path: `/s/${name}.md`,
  directory: "/s",
  source: "project",
  isForModel: true,
  isForPerson: true,
  allowedTools: [],
  commands: [],
  ...more,
});
const message = (uuid: string, more: object = {}): Message => ({ uuid, type: "user", ...more }) as Message;

describe("a prompt that begins with a slash", () => {
  const skills = [
    skill("review"),
    skill("ops:ship"),
    skill("hidden", { isForPerson: false }),
    skill("clear"),
  ];

  it.each<[string, string]>([
    ["/compact keep names", "built-in"],
    ["  /context\n", "built-in"],
    ["/clear", "built-in"],
    ["/ops:ship now", "skill"],
    ["/hidden", "unknown"],
    ["/revieww", "unknown"],
    ["/tmp is full", "words"],
    ["/usr/bin is missing", "words"],
    ["/ is full", "words"],
    ["Say /compact", "words"],
    ["//comment", "words"],
  ])("%j is %s", (prompt, kind) => {
    expect(resolveCommand(prompt, skills).kind).toBe(kind);
  });

  it("says what there is, or what was meant", () => {
    expect(resolveCommand("/revieww", skills)).toMatchObject({
      message: "There is no command /revieww: did you mean /review?",
    });
    expect(resolveCommand("/rewindd", skills, ["rewind"])).toMatchObject({
      message: "There is no command /rewindd: did you mean /rewind?",
    });
    expect(listCommands(skills).map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      "built-in clear",
      "built-in clear-results",
      "built-in compact",
      "built-in context",
      "built-in cost",
      "built-in undo",
      "skill review",
      "skill ops:ship",
    ]);
  });

  it("has a name without slashes and all the rest as arguments", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseCommand(`/name ${text}`);
        expect(parsed).toEqual({ name: "name", args: text.trim() });
        expect(parseCommand(`/a/${text}`)).toBeUndefined();
      }),
    );
  });
});

describe("files that a prompt names", () => {
  it.each<[string, readonly unknown[]]>([
    ["see @src/a.ts.", [{ paths: ["src/a.ts.", "src/a.ts"] }]],
    ["(@a.ts), [@b]", [{ paths: ["a.ts),", "a.ts"] }, { paths: ["b]", "b"] }]],
    ['@"a b.txt"#L3', [{ paths: ["a b.txt"], firstLine: 3, lastLine: 3 }]],
    ["@a.ts#L10-20, then", [{ paths: ["a.ts"], firstLine: 10, lastLine: 20 }]],
    ["@a.ts#L10-L20", [{ paths: ["a.ts"], firstLine: 10, lastLine: 20 }]],
    ["@a.ts#L20-10", [{ paths: ["a.ts"], firstLine: 20, lastLine: 20 }]],
    ["me@example.org and a@b", []],
    ["@@ -1,2 +1,2 @@", [{ paths: ["@"] }]],
    ["@ alone, @a @a", [{ paths: ["a"] }]],
  ])("%j", (text, mentions) => {
    expect(findMentions(text)).toMatchObject(mentions);
    expect(findMentions(text)).toHaveLength(mentions.length);
  });

  it("are at most fifty, and none is empty", () => {
    const piece = fc.constantFrom("@", '"', "#L1", "-", "a", " ", "\n", ".", ")", "(", "@a/b ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
        const found = findMentions(pieces.join(""));
        expect(found.length).toBeLessThanOrEqual(50);
        for (const { paths, written } of found) {
          expect(written.startsWith("@")).toBe(true);
          expect(paths.every((path) => path.trim() !== "" || written.startsWith('@"'))).toBe(true);
        }
      }),
    );
  });
});

describe("a message is named by", () => {
  const messages = [
    message("abcd1234-1"),
    message("abcd9999-2"),
    message("ffff0000-3", { isSidechain: true }),
  ];

  it.each<[string, string]>([
    ["abcd1234-1", "found"],
    ["ABCD1", "found"],
    ["abcd", "ambiguous"],
    ["abc", "unknown"],
    ["ffff0000-3", "unknown"],
    ["", "unknown"],
  ])("%j: %s", (given, kind) => {
    expect(findMessage(messages, given).kind).toBe(kind);
  });

  it("/compact, and what names none is never taken for an instruction", () => {
    const read = (args: string) => readCompactArguments(args, messages);
    expect(read("from abcd1 --dry-run keep names")).toEqual({
      isDry: true,
      options: { scope: { kind: "from", pivot: "abcd1234-1" }, instructions: "keep names" },
    });
    expect(read("--dry-run up-to abcd9")).toEqual({
      isDry: true,
      options: { scope: { kind: "up_to", pivot: "abcd9999-2" } },
    });
    for (const args of ["from", "up-to", "--dry-run up-to", "up-to --dry-run", "from --dry-run keep names"])
      expect(read(args)).toMatch(/^\/compact (?:from|up-to) needs a message: /);
    for (const args of ["from now on be short", "from tomorrow", "up-to here", "from 00000000"])
      expect(read(args)).toMatch(/is not a message of this conversation/);
    expect(read("keep what came from abcd1")).toEqual({
      isDry: false,
      options: { instructions: "keep what came from abcd1" },
    });
    expect(read("fromage, up-tools")).toEqual({
      isDry: false,
      options: { instructions: "fromage, up-tools" },
    });
    expect(read("")).toEqual({ isDry: false, options: {} });
    expect(read("from abcd")).toContain("2 messages");
    expect(read("--all")).toContain("does not know");
  });
});

it("/cost has a row for each model and source, and says what has no price", () => {
  const usage = { input_tokens: 1000, output_tokens: 10, cache_read_input_tokens: 5 };
  const { text, data } = costCommand(
    accountOf([
      { source: "main", model: "claude-sonnet-5", usage },
      { source: "compact", model: "claude-sonnet-5", usage },
      { source: "main", model: "other", usage, estimated: "all" },
    ]),
  );
  expect(text.split("\n").map((line) => line.split(/ {2,}/)[0])).toEqual([
    "model",
    "claude-sonnet-5",
    "claude-sonnet-5",
    "other",
    "all",
    "1 calls went to models without known prices.",
    "1 calls were cut off: $0.00 of it is an estimate.",
  ]);
  expect(data?.["total"]).toMatchObject({ calls: 3, inputTokens: 3000 });
  expect(costCommand(accountOf([])).text).toBe("Nothing was billed in this conversation yet.");
});

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { settingDefinitions } from "@palimpsest/core";
import { titlesIn } from "./test-titles.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

const COUNT = 283;

interface Row {
  readonly number: number;
  readonly mechanism: string;
  readonly reached: string;
  readonly other: string;
  readonly shown: string;
}

const ITEM =
  /^(?<number>\d+)\. (?<mechanism>.+?) _Reached:_ (?<reached>.+?)(?: _Other:_ (?<other>.+?))?(?: _Shown:_ (?<shown>.+))?$/;

/** The items of the page's lists; a line that begins like one and has another form is an error. */
function rowsOf(page: string): readonly Row[] {
  return page
    .split(/\n(?=\d+\. )|\n\n/)
    .filter((item) => /^\d+\. /.test(item))
    .map((item) => {
      const line = item.trim().replaceAll(/\s+/g, " ");
      const { groups } = ITEM.exec(line) ?? {};
      if (groups === undefined) throw new Error(`this is not a row: ${line}`);
      const { number, mechanism = "", reached = "", other = "", shown = "" } = groups;
      return { number: Number(number), mechanism, reached, other, shown };
    });
}

const codesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

interface NamedTest {
  readonly file: string;
  readonly title: string;
}

const testsOf = ({ shown }: Row): readonly NamedTest[] =>
  codesIn(shown).map((code) => {
    const [file = "", ...title] = code.split(" › ");
    return { file, title: title.join(" › ") };
  });

const holdsTests = (file: string): boolean =>
  /^(?:packages\/\w+\/src|test)\/.+\.test\.ts$/.test(file) && existsSync(join(root, file));

/** Tests that are made of the rows of a table: that of docs/failures.md says what they are called. */
const failures = new Map([
  [
    "test/summarise/failures.test.ts",
    textOf("docs/failures.md")
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .map((line) => line.split("|")[2]?.trim() ?? ""),
  ],
]);

const titles = new Map<string, ReadonlySet<string>>();
const titlesOf = (file: string): ReadonlySet<string> => {
  const known = titles.get(file) ?? new Set([...titlesIn(join(root, file)), ...(failures.get(file) ?? [])]);
  titles.set(file, known);
  return known;
};

function wrongTest({ file, title }: NamedTest): string | undefined {
  if (!holdsTests(file)) return `${file} is not a file of tests`;
  return titlesOf(file).has(title) ? undefined : `${file} has no test or group called: ${title}`;
}

const sourcesIn = (folder: string): string =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => textOf(join(folder, name)))
    .join("\n");

const commandLine = sourcesIn("packages/palimpsest/src/cli");
const flags = new Set(commandLine.match(/(?<=["\s,])--?[a-z][a-z-]*(?=[\s<["])/g));
const commands = new Set([...commandLine.matchAll(/\.command\("([a-z]+)/g)].map(([, name = ""]) => name));
const agentSources = sourcesIn("packages/palimpsest/src");
const settings = new Set(Object.keys(settingDefinitions));
const variables = new Set(Object.values(settingDefinitions).flatMap(({ env }) => env));

const WORD = /[A-Za-z_][\w-]*/g;
const wordsIn = (text: string): ReadonlySet<string> => new Set(text.match(WORD));

/** Words of what the other pages of the docs say as code: calls, fields, files, events. */
const wordsElsewhere = wordsIn(
  readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && name !== "mechanisms.md")
    .flatMap((name) => textOf(join("docs", name)).match(/```[^]*?```|`[^`\n]+`/g) ?? [])
    .join("\n"),
);
const wordsOfAgent = wordsIn(agentSources);

/** Whether what a person is told to use is there; undefined where it is. */
function unknownCode(code: string): string | undefined {
  if (code.startsWith("palimpsest ") || code.startsWith("-")) {
    const [first = "", ...rest] = code.split(" ").filter((word) => word !== "palimpsest");
    const wrong = [first, ...rest].filter((word) => word.startsWith("-") && !flags.has(word));
    if (!first.startsWith("-") && !commands.has(first)) wrong.push(first);
    return wrong.length === 0 ? undefined : `no such command or flag: ${wrong.join(" ")}`;
  }
  if (/^[A-Z][A-Z0-9_]+$/.test(code)) {
    return variables.has(code) || wordsOfAgent.has(code) ? undefined : `no such variable: ${code}`;
  }
  const assigned = /^(\w+)=/.exec(code)?.[1];
  if (assigned !== undefined) return settings.has(assigned) ? undefined : `no such setting: ${assigned}`;
  if (settings.has(code)) return undefined;
  const missing = (code.match(WORD) ?? []).filter((word) => !wordsElsewhere.has(word));
  return missing.length === 0 ? undefined : `no other page knows ${missing.join(", ")}`;
}

/** Settings that are named as such: `setting` or `settings`, then one or more of them. */
const settingsNamedIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bsettings? ((?:`[^`]+`(?:, | and |, and )?)+)/g)].flatMap(([, list = ""]) =>
    codesIn(list).map((code) => code.replace(/=.*/, "")),
  );

describe("docs/mechanisms.md", () => {
  const rows = rowsOf(textOf("docs/mechanisms.md"));

  it("has every number once, in order", () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
  });

  it("says of each how it is reached, and has a test for it or says why it is other", () => {
    const bare = rows.filter((row) => testsOf(row).length === 0 && row.other === "");
    expect(bare.map(({ number }) => number)).toEqual([]);
  });

  it("has nothing to come", () => {
    const open = rows.filter(({ reached, other, shown }) =>
      /\bto come\b/.test(`${reached} ${other} ${shown}`),
    );
    expect(open.map(({ number }) => number)).toEqual([]);
  });

  it("names tests by titles that are there", () => {
    const wrong = rows.flatMap((row) => testsOf(row).flatMap((test) => wrongTest(test) ?? []));
    expect(wrong).toEqual([]);
  });

  it("names settings, variables, flags, commands and calls that are there", () => {
    const wrong = rows.flatMap(({ number, reached, other }) =>
      [
        ...codesIn(`${reached} ${other}`).flatMap((code) => unknownCode(code) ?? []),
        ...settingsNamedIn(`${reached} ${other}`).filter((name) => !settings.has(name)),
      ].map((problem) => `${number}: ${problem}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the test of the page", () => {
  it("notices a row without its parts, a setting, a flag and a command that are gone", () => {
    expect(() => rowsOf("1. Something. _Shown:_ nothing")).toThrow("not a row");
    expect(
      rowsOf("1. A. _Reached:_ always. _Other:_ because. _Shown:_ to come.\n2. B. _Reached:_ never."),
    ).toMatchObject([
      { number: 1, mechanism: "A.", reached: "always.", other: "because.", shown: "to come." },
      { number: 2, other: "", shown: "" },
    ]);
    expect(
      [
        "restoreFiles",
        "restoreFiles=5",
        "DISABLE_COMPACT",
        "palimpsest -p --continue",
        "conversation.compact()",
      ].map(unknownCode),
    ).toEqual(Array.from({ length: 5 }));
    for (const gone of [
      "restoreFolders=5",
      "DISABLE_EVERYTHING",
      "--no-such-flag",
      "palimpsest fly",
      "conversation.compactAway()",
    ]) {
      expect(unknownCode(gone)).toEqual(expect.any(String));
    }
    expect(settingsNamedIn("by the settings `a`, `b=2` and `c`, and by `d`")).toEqual(["a", "b", "c"]);
  });

  it("finds titles as they are written, and none that never runs", () => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-titles-"));
    try {
      const file = join(folder, "a.test.ts");
      writeFileSync(
        file,
        'describe("d", () => { it("i", () => {}); it.each<number>([1])("e %i", () => {}); it(`t`, f); });\n' +
          'it.skip("s", f); it.todo("o"); describe.skip("x", () => { it("y", f); }); /a/.test("z"); describe.skipIf(x)("k", f); note("n"); it(`${x} y`, f); test("T", f);\n',
      );
      expect([...titlesIn(file)]).toEqual(["d", "i", "e %i", "t", "k", "T"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

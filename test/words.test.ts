import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { settingDefinitions } from "@palimpsest/core";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Words that readers who learned English at work stumble over, and what is said in their place. */
const wrong: readonly (readonly [RegExp, string])[] = [
  [/(?<!\b(?:leav\w*|left|stay\w*)\b[^.;:]{0,60})(?<![-/\w`])behind(?![-/\w])/i, "after"],
  [/(?<!\bthere )is no (?:text|number|list|object|string)\b/, "must be a string, a number …"],
  [/\bhas to be a (?:text|number)\b/, "must be a string, a number"],
];

/** The same, of texts that are shown: comments may say it. */
const wrongInTexts: readonly (readonly [RegExp, string])[] = [
  [/(?<!\bthere )\bis (?:no (?!longer\b|more\b)|none of)\b/i, "is not a"],
];

const filesIn = (folder: string, isWanted: (name: string) => boolean): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => isWanted(name) && !/(?:^|\/)(?:node_modules|dist|reference|decisions)\//.test(name))
    .map((name) => join(root, folder, name));

const pages = [
  ...filesIn("docs", (name) => name.endsWith(".md")),
  ...["README.md", "ARCHITECTURE.md", "CONTEXT.md", "CONTRIBUTING.md"].map((name) => join(root, name)),
];
const sources = filesIn("packages", (name) => /\/src\/.*(?<!\.test)\.tsx?$/.test(name));

/** What a person reads in a source: comments and texts, not names. */
const proseOf = (code: string): readonly string[] =>
  code.match(
    /\/\*\*?[\s\S]*?\*\/|(?<!:)\/\/.*|"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`/g,
  ) ?? [];

/** Titles of tests are quoted as they are. */
const withoutTitles = (page: string): string => page.replaceAll(/`[^`\n]+\.ts › [^`\n]+`/g, "");

const findings = (file: string, text: string): readonly string[] =>
  [...wrong, ...(/^["`].*$/.test(text) ? wrongInTexts : [])].flatMap(([pattern, better]) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`${relative(root, file)}: ${found}, say: ${better}`];
  });

it("comments, texts and pages say it in plain words", () => {
  expect(sources.length).toBeGreaterThan(900);
  const all = [
    ...pages.flatMap((file) => findings(file, withoutTitles(readFileSync(file, "utf8")))),
    ...sources.flatMap((file) => proseOf(readFileSync(file, "utf8")).flatMap((text) => findings(file, text))),
  ];
  expect(all).toEqual([]);
});

/** Names that a thing no longer has, in code too, and the one it has. */
const former: readonly (readonly [RegExp, string])[] = [
  [/micro[-_ ]?compact\w*/i, "clearing"],
  [/session[-_ ]?memor(?:y|ies)\w*/i, "notes"],
  // A tag is in kebab-case; what stands after a question mark is a group of a pattern.
  [/(?<!\?)<\/?[a-z]+(?:_[a-z]|[A-Z])\w*>/, "a tag in kebab-case"],
];

/**
 * What others read as it is: Claude Code's transcripts and variables, the calls for notes as transcripts and bills name
 * them (`session_memory`), the folder of the notes in a session's data, and a tag around errors of tools.
 */
const kept =
  /\bmicrocompact_boundary\b|\bmicrocompactMetadata\b|(?<!_)\bDISABLE_MICROCOMPACT\b|\bsession_memory\b|\bsession-memory\/|"session-memory"|<tool_use_error>/g;

/** Where the words not to say stand, the names that settings had before, and tags of other programs. */
const apart =
  /^(?:packages\/core\/src\/engine\/settings\/settings\.ts|docs\/settings\.md|CONTEXT\.md)$|\/simulator\/players\//;

it("a thing has one name: in code, names of files, settings, events, tags and pages", () => {
  const files = [
    ...pages,
    ...sources,
    ...["bench", "examples", "scripts", "soak"].flatMap((folder) =>
      filesIn(folder, (name) => /\.(?:ts|mjs)$/.test(name)),
    ),
  ].filter((file) => !apart.test(relative(root, file)));
  const all = files.flatMap((file) => {
    const text = `${relative(root, file)}\n${readFileSync(file, "utf8")}`.replaceAll(kept, "");
    return former.flatMap(([pattern, better]) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [`${relative(root, file)}: ${found}, say: ${better}`];
    });
  });
  expect(all).toEqual([]);
});

it("settings and events count rounds, not turns", () => {
  const events = sources.filter((file) =>
    relative(root, file).startsWith("packages/core/src/engine/events/"),
  );
  expect(events.length).toBeGreaterThan(8);
  const names = [
    ...Object.keys(settingDefinitions),
    ...events.flatMap((file) => readFileSync(file, "utf8").match(/(?<=readonly )\w+/g) ?? []),
  ];
  expect(names.filter((name) => /turn/i.test(name))).toEqual([]);
});

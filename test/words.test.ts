import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Words that readers who learned English at work stumble over, and what is said in their place. */
const wrong: readonly (readonly [RegExp, string])[] = [
  [/(?<!\b(?:leav\w*|left|stay\w*)\b[^.;:]{0,60})(?<![-/\w`])behind(?![-/\w])/i, "after"],
  [/(?<!\bthere )is no (?:text|number|list|object|string)\b/, "must be a string, a number …"],
  [/\bhas to be a (?:text|number)\b/, "must be a string, a number"],
];

const filesIn = (folder: string, isWanted: (name: string) => boolean): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => isWanted(name) && !/(?:^|\/)(?:node_modules|dist|reference|decisions)\//.test(name))
    .map((name) => join(root, folder, name));

const pages = [
  ...filesIn("docs", (name) => name.endsWith(".md")),
  ...["README.md", "ARCHITECTURE.md", "CONTEXT.md", "CONTRIBUTING.md"].map((name) => join(root, name)),
];
const sources = filesIn("packages", (name) => /\/src\/.*(?<!\.test)\.ts$/.test(name));

/** What a person reads in a source: comments and texts, not names. */
const proseOf = (code: string): readonly string[] =>
  code.match(
    /\/\*\*?[\s\S]*?\*\/|(?<!:)\/\/.*|"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`/g,
  ) ?? [];

/** Titles of tests are quoted as they are. */
const withoutTitles = (page: string): string => page.replaceAll(/`[^`\n]+\.ts › [^`\n]+`/g, "");

const findings = (file: string, text: string): readonly string[] =>
  wrong.flatMap(([pattern, better]) => {
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

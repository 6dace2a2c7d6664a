import type { Fields } from "../../../../messages/fields.js";
import type { Allowance } from "./allowance.js";
import { CONCEPT_LABELS } from "../../shape/labels.js";
import { commandOf, resultText, type Call } from "./call.js";
import type { Survey } from "./survey.js";

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "TypeScript",
  tsx: "TypeScript (React)",
  js: "JavaScript",
  mjs: "JavaScript",
  jsx: "JavaScript (React)",
  py: "Python",
  go: "Go",
  rs: "Rust",
  java: "Java",
  kt: "Kotlin",
  rb: "Ruby",
  php: "PHP",
  cs: "C#",
  c: "C",
  h: "C",
  cc: "C++",
  cpp: "C++",
  hpp: "C++",
  swift: "Swift",
  scala: "Scala",
  ex: "Elixir",
  lua: "Lua",
  sh: "Shell",
  ps1: "PowerShell",
  sql: "SQL",
  html: "HTML",
  css: "CSS",
  scss: "CSS",
  vue: "Vue",
  svelte: "Svelte",
  md: "Markdown",
  mdx: "Markdown",
  json: "JSON",
  jsonc: "JSON",
  yml: "YAML",
  yaml: "YAML",
  toml: "TOML",
  tf: "Terraform",
  proto: "Protocol Buffers",
};
const MAX_ITEMS = 12;
const MAX_NAMES = 200;
/** How far back calls are searched for names. */
const NAMING_CALLS = 150;
const NAMING_CHARACTERS = 4000;
/** A name in a program: words joined by capitals or underscores. */
const NAME = /\b(?:[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]|[A-Za-z]+_[A-Za-z])\w{2,38}\b/g;

/** Section 2: languages, programs and tools that were used, and the names that calls kept coming back to. */
export function conceptsSection(survey: Survey, allowance: Allowance): readonly string[] {
  const calls = survey.entries.flatMap((entry) => (entry.kind === "call" ? [entry.call] : []));
  const languages = tally([...survey.files.keys()].flatMap(languageOf));
  const programs = tally(calls.flatMap((call) => (call.kind === "shell" ? programOf(commandOf(call)) : [])));
  const tools = tally(calls.map(({ name }) => name.slice(0, 60)));
  const lines: string[] = [];
  for (const [index, items] of [languages, programs, tools].entries()) {
    const line = `${CONCEPT_LABELS[index] ?? ""}${items.slice(0, MAX_ITEMS).join(", ")}`;
    if (items.length > 0 && allowance.take(line)) lines.push(line);
  }
  const label = "   - Names that came up again and again:";
  if (!allowance.take(label)) return lines;
  const names: string[] = [];
  for (const name of recurringNames(calls)) {
    if (!allowance.take(`, ${name}`)) break;
    names.push(name);
  }
  return names.length === 0 ? lines : [...lines, `${label} ${names.join(", ")}`];
}

/** The items, the most frequent first; ties in the order in which they came. */
function tally(items: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([item]) => item);
}

function languageOf(path: string): readonly string[] {
  const extension = /\.(\w{1,8})$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const language = Object.hasOwn(LANGUAGES, extension) ? LANGUAGES[extension] : undefined;
  return language === undefined ? [] : [language];
}

/** The program that a command starts, where it is plain to see. */
function programOf(command: string): readonly string[] {
  const start = command
    .slice(0, 500)
    .replace(/^\s*(?:cd [^&;\n]{1,300}(?:&&|;|\n)\s*)+/, "")
    .replace(/^\s*(?:[A-Z_]+=\S* +|sudo +|time +)*/, "");
  const program = /^[a-z][\w.-]{0,30}(?=\s|$)/.exec(start)?.[0];
  return program === undefined ? [] : [program];
}

/** Names in at least two of the newest calls or their results; those that calls used most, and last, come first. */
function recurringNames(calls: readonly Call[]): readonly string[] {
  const scores = new Map<string, { places: number; score: number }>();
  const recent = calls.slice(-NAMING_CALLS);
  const note = (texts: readonly string[], weight: number): void => {
    const names = new Set(texts.flatMap((text) => text.slice(0, NAMING_CHARACTERS).match(NAME) ?? []));
    for (const name of names) {
      const known = scores.get(name) ?? { places: 0, score: 0 };
      known.places += 1;
      known.score += weight;
      scores.set(name, known);
    }
  };
  for (const [index, call] of recent.entries()) {
    const recency = 1 + index / recent.length;
    note(inputTexts(call.input), 2 * recency);
    note([resultText(call.result)], recency);
  }
  return [...scores]
    .filter(([, { places }]) => places >= 2)
    .toSorted(([, a], [, b]) => b.score - a.score)
    .slice(0, MAX_NAMES)
    .map(([name]) => name);
}

const inputTexts = (input: Fields): readonly string[] =>
  Object.values(input).filter((value) => typeof value === "string");

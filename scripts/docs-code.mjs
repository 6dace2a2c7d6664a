import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { given } from "./docs-given.mjs";

/**
 * Compiles every piece of JavaScript and TypeScript on the pages, against the built packages: names that do not exist, options that were
 * renamed and imports that lead nowhere are errors. What a piece uses and does not make is declared before it (docs-given.mjs); a
 * declaration that no piece needs is an error too. JSON has to be JSON, with `…` for what is left out.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "examples/docs-code");

const pages = [
  "README.md",
  "packages/core/README.md",
  "packages/palimpsest/README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("reference"))
    .map((name) => `docs/${name}`),
];

const wrongJson = [];
const unused = new Set(
  Object.entries(given).flatMap(([page, names]) =>
    Object.keys(names).map((name) => `${page || "every page"}: ${name}`),
  ),
);
/** From a file and a line in it to a page and a line there. */
const places = new Map();

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const page of pages) {
  const text = readFileSync(join(root, page), "utf8");
  for (const match of text.matchAll(/^```(js|ts|json)\n([\s\S]*?)\n```$/gm)) {
    const [, language, code] = match;
    const line = text.slice(0, match.index).split("\n").length + 1;
    if (language === "json") checkJson(code, `${page}:${line}`);
    else writeCode({ page, line, code });
  }
}

// Clients that only a test of the providers installs, beside the packages.
writeFileSync(
  join(folder, "outside.d.mts"),
  'declare module "@anthropic-ai/bedrock-sdk" { export const AnthropicBedrock: any; }\n',
);
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({
    extends: "../tsconfig.json",
    compilerOptions: {
      noEmit: true,
      noImplicitAny: false,
      useUnknownInCatchVariables: false,
      types: ["node"],
    },
    include: ["*.mts"],
  }),
);
const { stdout, status } = spawnSync(
  join(root, "node_modules/.bin/tsc"),
  ["-p", folder, "--pretty", "false"],
  {
    encoding: "utf8",
  },
);
const errors = stdout.split("\n").filter((row) => row !== "");
const problems = [
  ...errors.map(atPage),
  ...wrongJson,
  ...[...unused].map((name) => `scripts/docs-given.mjs: no page needs ${name}`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0 || status !== 0) process.exitCode = 1;
else console.log(`${places.size} pieces of code on ${pages.length} pages compile`);

function writeCode({ page, line, code }) {
  const names = { ...given[""], ...given[page] };
  const declared = Object.keys(names).filter((name) => uses(code, name) && !makes(code, name));
  for (const name of declared)
    unused.delete(`${given[page]?.[name] === undefined ? "every page" : page}: ${name}`);
  const head = declared.map((name) => `declare let ${name}: ${names[name]};`);
  const name = `${page.replaceAll("/", "-").replace(/\.md$/, "")}-${line}.mts`;
  places.set(name, { page, line: line - head.length });
  writeFileSync(join(folder, name), [...head, code, "export {};", ""].join("\n"));
}

function uses(code, name) {
  return new RegExp(`(?<!(?<!\\.\\.)\\.|[\\w"'\`/-])${name}(?![\\w"'\`/:-]|\\?:)|\\$\\{${name}\\b`).test(
    code.replaceAll(/\/\/.*$/gm, ""),
  );
}

function makes(code, name) {
  const bare = code.replaceAll(/\/\/.*$/gm, "");
  return new RegExp(
    `(?:const|let|var|function|class)\\s+${name}\\b|(?:const|let)\\s*\\{[^}=]*\\b${name}\\b(?!\\s*:)[^}=]*\\}\\s*=|import[^;]*\\b${name}\\b[^;]*from`,
  ).test(bare);
}

function checkJson(code, place) {
  const whole = code.replaceAll("…", "");
  const documents = [whole, ...[whole.split("\n")].filter((rows) => rows.length > 1)];
  for (const [index, document] of documents.entries()) {
    try {
      if (index === 0) JSON.parse(document);
      else for (const row of document) JSON.parse(row);
      return;
    } catch (error) {
      if (index === documents.length - 1) wrongJson.push(`${place}: ${error.message}`);
    }
  }
}

function atPage(row) {
  const found = /^(?:.*\/)?([^/(]+\.mts)\((\d+),\d+\): (.*)$/.exec(row);
  const place = found && places.get(found[1]);
  return place === null || place === undefined
    ? row
    : `${place.page}:${place.line + Number(found[2]) - 1}: ${found[3]}`;
}

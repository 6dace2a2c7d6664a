import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { runHere } from "./process/run-here.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (page: string): string => readFileSync(join(root, page), "utf8");

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "packages/core/README.md",
  "packages/palimpsest/README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The lines of a page that are typed: those of shell blocks, and code in sentences. */
const typedOn = (page: string): readonly string[] => {
  const text = read(page);
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, code = ""]) =>
    code.replaceAll("\\\n", " ").split("\n"),
  );
  const inline = [...text.replaceAll(/^(`{3,})[\s\S]*?^\1/gm, "").matchAll(/`([^`\n]+)`/g)].map(
    ([, code = ""]) => code,
  );
  return [...blocks, ...inline]
    .flatMap((line) => line.replace(/(^|\s)#.*$/, "").split(/\s*(?:&&|\||;)\s*/))
    .map((line) => line.trim().replace(/^(?:[A-Z_0-9]+=\S+\s+)+/, ""));
};

/** What a line calls and with which flags; what comes after `--` belongs to another program. */
interface Call {
  readonly line: string;
  readonly command: readonly string[];
  readonly flags: readonly string[];
}

let commands = new Map<string, string>();

beforeAll(async () => {
  const help = async (...names: string[]): Promise<string> => (await runHere([...names, "--help"])).stdout;
  const listed = (text: string): string[] =>
    [...(text.split(/^Commands:$/m)[1] ?? "").matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = ""]) => name);
  const top = await help();
  const found = new Map([["", `${top}\n${await help("-p")}`]]);
  for (const name of listed(top).filter((name) => name !== "help")) {
    const text = await help(name);
    found.set(name, text);
    for (const below of listed(text).filter((name) => name !== "help"))
      found.set(`${name} ${below}`, await help(name, below));
  }
  commands = found;
});

function callIn(line: string): Call | undefined {
  const words = /^(?:npx )?palimpsest(?:\s+(.*))?$/.exec(line)?.[1]?.split(/\s+/) ?? undefined;
  if (words === undefined || words.length === 0) return undefined;
  const own = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  const [first = "", second = ""] = own;
  const command = commands.has(`${first} ${second}`) ? [first, second] : commands.has(first) ? [first] : [];
  const quoted = own.join(" ").replaceAll(/"[^"]*"|'[^']*'/g, "");
  return {
    line,
    command,
    flags: [...quoted.matchAll(/(?:^|[\s[|(])(--?[a-zA-Z][\w-]*)/g)].map(([, flag = ""]) => flag),
  };
}

function problemOf(call: Call): string | undefined {
  const help = commands.get(call.command.join(" ")) ?? "";
  const own = /^palimpsest ([a-z][\w-]*)/.exec(call.line.replace(/^npx /, ""))?.[1];
  if (call.command.length === 0 && own !== undefined) return `${call.line}: there is no command ${own}`;
  const missing = call.flags.find((flag) => !new RegExp(`(?:^|[\\s,(])${flag}(?![\\w-])`, "m").test(help));
  return missing === undefined ? undefined : `${call.line}: it has no ${missing}`;
}

describe("commands on the pages", () => {
  it("are found at all, and judged", () => {
    const judged = (line: string): string | undefined => {
      const call = callIn(line);
      return call && problemOf(call);
    };
    expect(
      pages.flatMap((page) => typedOn(page).flatMap((line) => callIn(line) ?? [])).length,
    ).toBeGreaterThan(50);
    expect(judged("palimpsest replay a.jsonl --window 5")).toBeUndefined();
    expect(judged("palimpsest replay a.jsonl --windows 5")).toContain("--windows");
    expect(judged("palimpsest repaly a.jsonl")).toContain("repaly");
    expect(judged('palimpsest -p "what is --this?" --resume X')).toBeUndefined();
  });

  it.each(pages)("%s names only what the program takes", (page) => {
    expect(
      typedOn(page).flatMap((line) => {
        const call = callIn(line);
        return (call && problemOf(call)) ?? [];
      }),
    ).toEqual([]);
  });

  it.each(pages)("%s names only scripts and files that are there", (page) => {
    const scripts = new Set(Object.keys((JSON.parse(read("package.json")) as { scripts: object }).scripts));
    const missing = typedOn(page).flatMap((line) => {
      const script = /^npm run ([\w:-]+)/.exec(line)?.[1];
      if (script !== undefined && !scripts.has(script)) return [line];
      const file = /^node ((?:examples|bench|scripts|soak)\/[\w./-]+)/.exec(line)?.[1];
      const source = file?.replace(/^examples\/dist\/(.*)\.js$/, "examples/$1.ts");
      return source !== undefined && !existsSync(join(root, source)) ? [line] : [];
    });
    expect(missing).toEqual([]);
  });
});

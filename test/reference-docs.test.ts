import { fileURLToPath } from "node:url";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { declarationsOf, handedWhole, type Declaration, type Member } from "./declarations.js";
import { entries, type Entry } from "./entries.js";

const MOST = 300;

const cut = (text: string): string => (text.length <= MOST ? text : `${text.slice(0, MOST).trimEnd()} …`);

const line = (code: string, comment: string): string =>
  `- ${code.includes("`") ? `\`\` ${cut(code)} \`\`` : `\`${cut(code)}\``}${comment === "" ? "" : `: ${comment}`}`;

const isFunction = ({ signature }: Member): boolean => /^\w+\??(?:<[^(]*>)?\(|^\w+\??: .*=>/.test(signature);

/** What is handed in, called or implemented is told member by member; of what is only read, the names are. */
const isWhole = (declaration: Declaration): boolean => {
  const { name, members } = declaration;
  if (members.length === 0 || handedWhole.has(name)) return false;
  const isHandedIn = /(?:Options|Settings|Ports|Parts|Sources)$/.test(name);
  return isHandedIn || isError(declaration) || members.some(isFunction);
};

const isEvents = ({ name }: Declaration): boolean => name.endsWith("Events");
const isError = ({ name, signature }: Declaration): boolean =>
  /Error|Fail|Refus|Problem|^Held$|^Not?[A-Z]/.test(name) || / extends \w*Error$/.test(signature);

const memberLines = (members: readonly Member[]): readonly string[] =>
  members.map(({ signature, comment }) => line(signature, comment));

function typeLines(declaration: Declaration): readonly string[] {
  const { name, comment, members, signature } = declaration;
  if (isWhole(declaration)) {
    return ["", `### ${name}`, "", ...(comment === "" ? [] : [comment, ""]), ...memberLines(members)];
  }
  if (handedWhole.has(name)) return [line(name, comment)];
  const fields = members.map((member) => member.name).join(", ");
  return [line(members.length === 0 ? signature : `${name} { ${fields} }`, comment)];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, ...(lines[0] === "" ? [] : [""]), ...lines];
}

/** One entry: what can be called, what is handed in, what is told, what goes wrong, and all other types. */
function page({ specifier, file }: Entry): string {
  const all = declarationsOf(file);
  const events = all.filter(isEvents);
  const values = all.filter((one) => one.isValue && one.kind !== "class");
  const errors = all.filter((one) => !values.includes(one) && !events.includes(one) && isError(one));
  const types = all.filter((one) => ![...events, ...values, ...errors].includes(one));
  const lists = types.filter(isWhole);
  const isOptions = ({ name }: Declaration): boolean => name.endsWith("Options");
  return [
    `# \`${specifier}\``,
    "",
    "Made from the code: `npx vitest run --project unit test/reference-docs.test.ts --update` writes this page, and the",
    "test fails where it is not up to date.",
    ...section(
      "Values",
      values.map(({ signature, comment }) => line(signature, comment)),
    ),
    ...section("Options", lists.filter(isOptions).flatMap(typeLines)),
    ...section(
      "Events",
      events.flatMap(({ members }) => memberLines(members)),
    ),
    ...section("Errors and refusals", [
      ...errors.filter((one) => !isWhole(one)).flatMap(typeLines),
      ...errors.filter(isWhole).flatMap(typeLines),
    ]),
    ...section("Objects and ports", lists.filter((one) => !isOptions(one)).flatMap(typeLines)),
    ...section("Other types", types.filter((one) => !isWhole(one)).flatMap(typeLines)),
    "",
  ].join("\n");
}

const fileOf = ({ specifier }: Entry): string => `${specifier.split("/").at(-1)}.md`;

describe("docs/reference", () => {
  it.each(entries)("$specifier", async (entry) => {
    const text = page(entry);
    await expect(text).toMatchFileSnapshot(`../docs/reference/${fileOf(entry)}`);
    const missing = declarationsOf(entry.file).filter(
      (one) => !isEvents(one) && !new RegExp(String.raw`^(?:### |- \`+ ?)${one.name}\b`, "m").test(text),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it("has a page for each entry and no other", () => {
    const pages = readdirSync(fileURLToPath(new URL("../docs/reference", import.meta.url)));
    expect(pages.toSorted()).toEqual(entries.map(fileOf).toSorted());
  });

  it("every value of the core says what it is", () => {
    const silent = entries
      .filter(({ specifier }) => specifier.startsWith("@palimpsest/core"))
      .flatMap(({ file }) => declarationsOf(file))
      .filter(({ isValue, comment }) => isValue && comment === "");
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

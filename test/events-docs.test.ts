import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { expect, it } from "vitest";
import type { AskEvent } from "@palimpsest/core";
import { declarationsOf } from "./declarations.js";
import { entries } from "./entries.js";

const INTRODUCTION = `# Events

Made from the code: \`npx vitest run --project unit test/events-docs.test.ts --update\` writes this page, and the test fails
where it is not up to date.

\`\`\`ts
const stop = conversation.events.on("compact", ({ tokensBefore, tokensAfter, price }) => {
  show(\`\${tokensBefore} → \${tokensAfter} tokens for $\${price.dollars}\`); // price.withoutCache: the other price
});
stop(); // hears nothing more
\`\`\`

Listeners are called at once, in the order in which they came, and are not waited for. One that throws disturbs nobody;
\`createEventEmitter(onError)\`, handed in as \`events\`, is told what it threw. A branch has an emitter of its
own. The command writes every event of the engine into the file of [\`--events\`](headless.md).

**A compaction** is told as \`compact_started\`, then once as \`compact\` or as \`compact_failed\`, whatever happens: also where it is
called off, or the store fails at its end (\`not_stored\`). With [notes](notes.md) there may be two such pairs: from the notes,
then from a model. What is refused before anything begins (compaction switched off, a call that waits for its result) is only
the value of \`compact()\`.

**Money.** \`call_billed\` is told for each call that comes into the [account](account.md), as it comes: answers, summaries, notes,
what was cut off. \`price\` has what was paid (\`dollars\`) and what the same tokens cost without a prompt cache
(\`withoutCache\`); a model without known prices is counted in \`unpricedCalls\` and is in neither. The price of any other usage:

\`\`\`ts
import { priceOf } from "@palimpsest/core/totals";

const price = priceOf("claude-opus-5", response.usage);
if (price.kind === "priced") show(price.dollars, price.withoutCache); // and input, cacheRead, cacheWrite, output
else console.warn(price.message); // No prices are known for the model "…".
\`\`\`
`;

/** Held by the types: a kind that is missing here, or is none, does not compile. */
const streamed: Readonly<Record<AskEvent["kind"], string>> = {
  message:
    "`message`: part of the conversation from now on, and stored: what was asked, each answer, results of tools",
  step: "`step`: the engine made room, with one line for the person in `step.text`",
  retry:
    "`attempt`, `failure`, `waitMs`: the request failed and is sent again; what was told of its answer is void",
  start: "`message`: an answer begins: its id, model and the usage of its input",
  "block-start": "`index`, `block`: of a call the id and the name",
  text: "`index`, `text`: the next piece of the words",
  thinking: "`index`, `thinking`: the next piece of the thinking",
  "tool-input": "`index`, `json`: the next piece of a call's input",
  block: "`index`, `block`, `malformedInput`: one is complete",
  answer: "`answer`: the last one, also the value of `ask`",
};

function table(): string {
  const rows = [
    ["`kind`", "fields"],
    ...Object.entries(streamed).map(([kind, fields]) => [`\`${kind}\``, fields]),
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = rows.map(line);
  return [head, line(widths.map((width) => "-".repeat(width))), ...body].join("\n");
}

const STREAMED = `## Of \`conversation.stream\`

What happens until a person is answered, in its order ([how](conversation.md)). \`takeTurn\` of \`@palimpsest/core/engine\` yields
the same but for \`message\` and \`answer\`. What the command tells programs is in [headless.md](headless.md).

${table()}
`;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const core = fileURLToPath(new URL("../packages/core/src", import.meta.url));
const text = readFileSync(`${core}/engine/events/engine-events.ts`, "utf8");

function commentBefore(start: number): string {
  const before = text.slice(0, start).trimEnd();
  if (!before.endsWith("*/")) return "";
  const comment = before.slice(before.lastIndexOf("/**") + 3, -2);
  return comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

const named = new Map(
  entries
    .filter(({ specifier }) => /^@palimpsest\/core(?:\/compaction)?$/.test(specifier))
    .flatMap(({ file }) => declarationsOf(file))
    .map((declaration) => [declaration.name, declaration]),
);

interface Field {
  readonly signature: string;
  readonly comment: string;
}

const oneLine = (code: string): string =>
  code
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, "")
    .replaceAll("readonly ", "")
    .replaceAll(/\s+/g, " ")
    .replace(/;$/, "")
    .trim();

/** The fields of a type: those that stand there, and those of the interfaces that it names. */
function fieldsOf(type: Node): readonly Field[] {
  if (type.type === "TSIntersectionType") return (type["types"] as readonly Node[]).flatMap(fieldsOf);
  if (type.type === "TSTypeReference") {
    const { name } = type["typeName"] as { readonly name: string };
    const found = named.get(name);
    if (found === undefined || found.members.length === 0) throw new Error(`${name} is not exported`);
    return found.members;
  }
  return (type["members"] as readonly Node[]).map((member) => ({
    signature: oneLine(text.slice(member.start, member.end)),
    comment: commentBefore(member.start),
  }));
}

interface Told {
  readonly name: string;
  readonly comment: string;
  readonly fields: readonly Field[];
}

function engineEvents(): readonly Told[] {
  const body = parseAst(text, { lang: "ts" }).body as unknown as readonly Node[];
  const found = body
    .map((statement) => statement["declaration"] as Node | undefined)
    .find((one) => (one?.["id"] as { name?: string } | undefined)?.name === "EngineEvents");
  const interfaceBody = found?.["body"] as { readonly body: readonly Node[] } | undefined;
  return (interfaceBody?.body ?? []).map((member) => ({
    name: (member["key"] as { readonly name: string }).name,
    comment: commentBefore(member.start),
    fields: fieldsOf((member["typeAnnotation"] as { readonly typeAnnotation: Node }).typeAnnotation),
  }));
}

const line = ({ signature, comment }: Field): string =>
  `- \`${signature}\`${comment === "" ? "" : `: ${comment}`}`;

it("docs/events.md lists every event with its fields, and when it is told", async () => {
  const events = engineEvents();
  expect(events.length).toBeGreaterThan(15);
  expect(events.filter(({ comment }) => comment === "")).toEqual([]);
  const sections = events.map(
    ({ name, comment, fields }) => `### \`${name}\`\n\n${comment}\n\n${fields.map(line).join("\n")}\n`,
  );
  const names = events.map(({ name }) => `[\`${name}\`](#${name})`).join(" · ");
  const page = [INTRODUCTION, STREAMED, `## Of \`conversation.events\`\n\n${names}\n`, ...sections].join(
    "\n",
  );
  await expect(page).toMatchFileSnapshot("../docs/events.md");
});

it("no event is listed that nobody tells", () => {
  const sources = readdirSync(core, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(`${core}/${file}`, "utf8"))
    .join("\n");
  const silent = engineEvents().filter(({ name }) => !new RegExp(`emit\\(\\s*"${name}"`).test(sources));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

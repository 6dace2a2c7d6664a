import { expect, it } from "vitest";
import { settingDefinitions, type Settings } from "@palimpsest/core";
import { settingMeanings } from "../packages/core/src/engine/settings/setting-meanings.js";

const formerNames = Object.values(settingDefinitions)
  .flatMap(({ keys: [name, ...former] }) => former.map((old) => `- \`${old}\` is now \`${name}\``))
  .join("\n");

const INTRODUCTION = `# Settings

Made from the code: \`npx vitest run --project unit test/settings-docs.test.ts --update\` writes this page, and the test
fails where it is not up to date.

Given by the caller or on the command line wins over the environment, the environment over the project's settings file,
that over the user's, and that over the default. The key in a settings file is the name in the first column. A bad value
in a file or a flag is an error that names the place and what is allowed; one in the environment is passed over with a
warning. \`resolveSettings\` does all of this.

Some settings had another name before, which is still read, as a key and as a variable. Where one place
gives both, the new name counts; between places the order above decides, whatever the names.

${formerNames}

Three defaults are not those of the first design, because measuring said otherwise:

- \`clearSizeBelow\`: a clearing that leaves the context above half of the threshold is followed by the next one after a few
  rounds, each rewriting what stands after it. In a run of 2,000 calls (\`palimpsest soak --only long-run\`) clearing
  whenever it got below the threshold at all cost 1.25 times what never clearing (and a cold summary call) cost; with
  this limit 0.79 times.
- \`notes\` are off: they save waiting time and cost 55% to 65% more (docs/notes.md).
- \`compactServerWriter\` is off: a provider's own summary can be neither checked nor mended, and people's words come first.
`;

const cell = (text: string): string => text.replaceAll("|", "\\|");

const shown = (value: unknown): string => {
  if (value === undefined) return "–";
  if (Array.isArray(value)) return value.length === 0 ? "none" : `\`${value.join(",")}\``;
  return `\`${JSON.stringify(value).replaceAll('"', "")}\``;
};

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

it("docs/settings.md says what the code says", async () => {
  const rows = Object.entries(settingDefinitions).map(([setting, { env, default: value, allowed }]) => {
    const names = env.map((name) => `\`${name}\``).join(", ");
    const meaning = settingMeanings[setting as keyof Settings];
    return [`\`${setting}\``, names, shown(value), allowed, meaning].map(cell);
  });
  const page = `${INTRODUCTION}\n${table([["setting", "environment", "default", "allowed", "meaning"], ...rows])}\n`;
  await expect(page).toMatchFileSnapshot("../docs/settings.md");
});

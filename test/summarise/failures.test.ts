import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";
import { failureGroups } from "./failures/failure-groups.js";
import { play } from "./failures/stage.js";

for (const [group, rows] of Object.entries(failureGroups)) {
  describe(group, () => {
    for (const row of someOf(rows, Math.ceil(rows.length / 3))) it(row.name, () => play(row));
  });
}

const DOCUMENT = fileURLToPath(new URL("../../docs/failures.md", import.meta.url));

/** The cells of the one table in the document, its head left out. */
const tableIn = (markdown: string): readonly (readonly string[])[] =>
  markdown
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );

/** One line each, repetitions counted. */
const inCell = (attempts: readonly string[]): string =>
  Array.from(new Set(attempts), (attempt) => {
    const times = attempts.filter((other) => other === attempt).length;
    return `\`${attempt}\`${times > 1 ? ` ×${times}` : ""}`;
  }).join("<br>");

describe("docs/failures.md", () => {
  it("says of every failure what the tests say, and of nothing else", () => {
    const told = Object.entries(failureGroups).flatMap(([group, rows]) =>
      rows.map(({ name, expected: { outcome, attempts = [], told } }) => [
        group,
        name,
        outcome.replace(/\w+$/, "`$&`"),
        inCell(attempts),
        told.replaceAll("\n", "<br>"),
      ]),
    );
    expect(tableIn(readFileSync(DOCUMENT, "utf8"))).toEqual(told);
  });

  it("names no failure twice", () => {
    const names = Object.values(failureGroups).flatMap((rows) => rows.map(({ name }) => name));
    expect(names).toEqual([...new Set(names)]);
    expect(names.filter((name) => name.includes("|"))).toEqual([]);
  });
});

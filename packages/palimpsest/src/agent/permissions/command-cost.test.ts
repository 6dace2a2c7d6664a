import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseShell } from "../../shell/parse-shell.js";
import { factsOfCall } from "./call-facts.js";
import { formsOf } from "./command-forms.js";
import { namedPaths } from "./command-paths.js";
import { createLookupBudget } from "./lookup-budget.js";

const base = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-command-cost-")));
const project = join(base, "project");
mkdirSync(join(project, "a", "b"), { recursive: true });
writeFileSync(join(project, "link"), "x");
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("what judging costs", () => {
  const facts = (command: string) => {
    const subject = { kind: "execute", command } as const;
    const { command: judged } = factsOfCall(
      { toolName: "Bash", input: { command }, subject },
      { workingDirectory: project, home: base },
    );
    if (judged === undefined) throw new Error("no command");
    return judged;
  };

  it.each([
    "cd a;",
    "cd a && ",
    "cd a/b/..\n",
    "cat link;",
    "cat a/../link x=y -f/z | ",
    "$(cd a)",
    "sudo cd a ",
  ])("asks the disk no more for %j a thousand times than it may", (piece) => {
    const budget = createLookupBudget(2000);
    const found = namedPaths(facts(piece.repeat(1000)), {
      kind: "read",
      places: { workingDirectory: project, home: base },
      budget,
    });
    expect(budget.spent()).toBeLessThan(2200);
    expect(found.paths.length).toBeLessThan(8000);
  });

  it.each([
    "cd a;",
    "sudo ",
    "-x ",
    "$(",
    "rm$",
    "{a,",
    "a* ",
    "bash -c 'x y' ",
    "git $X ",
    "\\\n",
    "'",
    "| sh ",
  ])("takes %j apart in proportion to how often it stands there", (piece) => {
    for (const times of [200, 400, 4000, 8000]) {
      const text = `x ${piece.repeat(times)}`;
      const { whole, rows, openings } = formsOf(text, parseShell(text));
      const texts = [...whole, ...rows.map((row) => row.text), ...openings.map(({ before }) => before)];
      const size = texts.join("").length + rows.flatMap(({ starts }) => starts).length;
      expect(size / text.length).toBeLessThan(20);
    }
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseShell } from "../../shell/parse-shell.js";
import { factsOfCall } from "./call-facts.js";
import { formsOf } from "./command-forms.js";
import { namedPaths } from "./command-paths.js";
import { commandShowsHidden } from "./command-shows-hidden.js";
import { createLookCount, createLookupBudget } from "./lookup-budget.js";

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
    "grep -r x .;",
    "grep -r x .\n",
    "diff -r a .;",
    "timeout 5 grep -r x a;",
    "bash -c 'grep -r x .';",
  ])("looks through folders for %j many times no more often than it may", (piece) => {
    let looks = 0;
    const shows = (times: number, limit: number): boolean => {
      const look = createLookCount(limit);
      return commandShowsHidden(facts(piece.repeat(times)), {
        places: { workingDirectory: project, home: base },
        isInside: () => true,
        isHidden: () => false,
        mayLook: () => {
          looks += 1;
          return look();
        },
      });
    };
    expect(shows(1, 1000)).toBe(false);
    looks = 0;
    // What was not looked at may be hidden.
    expect(shows(400, 100)).toBe(true);
    expect(looks).toBeLessThan(120);
  });

  it("does not take every word after many wrappers for a program", () => {
    const command = facts(`env ${"grep -r ".repeat(2000)} x`);
    let looks = 0;
    const isShown = commandShowsHidden(command, {
      places: { workingDirectory: project, home: base },
      isInside: () => true,
      isHidden: () => false,
      mayLook: () => (looks += 1) > 0,
    });
    expect([isShown, looks]).toEqual([true, 0]);
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

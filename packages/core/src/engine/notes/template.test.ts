import { describe, expect, it } from "vitest";
import {
  isEmptyNotes,
  keepsTemplate,
  mendNotes,
  notesSections,
  notesTemplate,
  sectionsOf,
} from "./template.js";

describe("the template", () => {
  it("has ten sections, each with a heading and an italic line, and nothing else", () => {
    expect(notesSections.map(({ heading }) => heading)).toEqual([
      "Session title",
      "Current state",
      "Task specification",
      "Files and functions",
      "Workflow",
      "Errors and corrections",
      "Codebase and system documentation",
      "Learnings",
      "Key results",
      "Worklog",
    ]);
    expect(sectionsOf(notesTemplate)).toEqual(
      notesSections.map(({ heading, hint }) => ({ heading, lead: `# ${heading}\n_${hint}_`, body: "" })),
    );
    expect(isEmptyNotes(notesTemplate)).toBe(true);
    expect(keepsTemplate(notesTemplate)).toBe(true);
  });

  it("is not empty once anything stands under a heading", () => {
    expect(isEmptyNotes(notesTemplate.replace("# Worklog\n", "# Worklog\n_x_\n"))).toBe(false);
    expect(isEmptyNotes(`${notesTemplate}- began\n`)).toBe(false);
    expect(isEmptyNotes("")).toBe(true);
  });

  it("lines that look like headings belong to the section they stand in", () => {
    const notes = `${notesTemplate}# Not ours\n## Worklog\n #  Worklog\n# worklog\n#Worklog\ntext`;
    expect(sectionsOf(notes)).toHaveLength(10);
    expect(sectionsOf(notes).at(-1)?.body).toBe(
      "# Not ours\n## Worklog\n #  Worklog\n# worklog\n#Worklog\ntext",
    );
    expect(keepsTemplate(notes)).toBe(true);
  });

  it("a heading of ours in a body is a second section, and no longer the template", () => {
    expect(keepsTemplate(`${notesTemplate}# Learnings\ntext`)).toBe(false);
  });

  it("reads files with other line ends", () => {
    const notes = `${notesTemplate}done`.replaceAll("\n", "\r\n");
    expect(keepsTemplate(notes)).toBe(true);
    expect(sectionsOf(notes).at(-1)?.body).toBe("done");
  });
});

describe("notes that somebody has edited by hand", () => {
  it("come back as they are where the template is whole", () => {
    const notes = `${notesTemplate}- began\n`;
    expect(mendNotes(notes)).toBe(notes);
  });

  it.each([
    ["free text", "Remember the tea.", ["Remember the tea."]],
    ["nothing", "", []],
    ["a heading gone", `${notesTemplate.replace(/# Workflow\n.*\n\n/, "")}- began`, ["- began"]],
    ["a heading twice", `${notesTemplate}- began\n# Learnings\nnever again`, ["- began", "never again"]],
    ["another italic line", notesTemplate.replace(/_Files that matter.*_/, "_my own_"), ["_my own_"]],
    ["text before the first heading", `hello $& there\n${notesTemplate}`, ["hello $& there"]],
    ["headings in another order", "# Worklog\nb\n# Session title\na", ["a", "b"]],
    ["a look-alike first", `## Session title\nx\n# Session title\ny`, ["## Session title\nx", "y"]],
  ])("%s: the template again, with everything in it", (_, notes, texts) => {
    const mended = mendNotes(notes);
    expect(keepsTemplate(mended)).toBe(true);
    for (const text of texts) expect(mended).toContain(text);
    expect(isEmptyNotes(mended)).toBe(texts.length === 0);
    expect(mendNotes(mended)).toBe(mended);
  });
});

/** One section of the notes: its heading, and the line that says what belongs there. */
export interface NotesSection {
  readonly heading: string;
  readonly hint: string;
}

/** The ten sections, in their order. Headings and hints stay as they are; only what stands below them changes. */
export const notesSections: readonly NotesSection[] = [
  { heading: "Session title", hint: "Five to ten words by which the person would recognise this session." },
  { heading: "Current state", hint: "What is being done right now, what comes next, what is not finished." },
  {
    heading: "Task specification",
    hint: "What the person asked for, with every decision and wish that still holds.",
  },
  { heading: "Files and functions", hint: "Files that matter, what is in them, and why they matter." },
  { heading: "Workflow", hint: "Commands that are run, in which order, and how to read what they print." },
  {
    heading: "Errors and corrections",
    hint: "What went wrong, how it was put right, what the person corrected, what not to try again.",
  },
  {
    heading: "Codebase and system documentation",
    hint: "The parts of the system, and how they work together.",
  },
  { heading: "Learnings", hint: "What worked well, what did not, what to keep away from." },
  {
    heading: "Key results",
    hint: "Exact results that the person asked for: an answer, a table, a document, in full.",
  },
  { heading: "Worklog", hint: "Step by step, one short line each: what was tried and done." },
];

const render = ({ heading, hint }: NotesSection): string => `# ${heading}\n_${hint}_`;

/** The notes of a conversation that has just begun. */
export const notesTemplate = `${notesSections.map(render).join("\n\n")}\n`;

/** A section as it stands in the file. */
export interface WrittenSection {
  readonly heading: string;
  /** The heading and the hint below it. */
  readonly lead: string;
  readonly body: string;
}

const headingsIn = (notes: string): readonly RegExpExecArray[] =>
  [...notes.matchAll(/^# (.+)$/gm)].filter(({ 1: heading }) =>
    notesSections.some((section) => section.heading === heading?.trim()),
  );

/** The sections of a notes file, in their order; what stands before the first one belongs to none. */
export function sectionsOf(notes: string): readonly WrittenSection[] {
  const starts = headingsIn(notes);
  return starts.map((start, index) => {
    const whole = notes.slice(start.index, starts[index + 1]?.index ?? notes.length);
    const lead = /^#[^\n]*\n(?:[^\S\n]*\n)?(?:_[^\n]*_[^\S\n]*(?:\n|$))?/.exec(whole)?.[0] ?? whole;
    return { heading: (start[1] ?? "").trim(), lead: lead.trimEnd(), body: whole.slice(lead.length).trim() };
  });
}

/** Whether nobody has written anything yet. */
export const isEmptyNotes = (notes: string): boolean => sectionsOf(notes).every(({ body }) => body === "");

const looseText = (notes: string): string =>
  notes.slice(0, headingsIn(notes)[0]?.index ?? notes.length).trim();

/** Whether all headings with their hints are there, each once and in their order, and nothing before them. */
export function keepsTemplate(notes: string): boolean {
  const found = sectionsOf(notes);
  return (
    found.length === notesSections.length &&
    looseText(notes) === "" &&
    notesSections.every(({ heading, hint }, index) => {
      const section = found[index];
      return section?.heading === heading && section.lead.includes(`_${hint}_`);
    })
  );
}

/**
 * Notes that somebody has edited by hand, in the template again: everything they wrote is there, what stood under
 * no heading of ours in the last section. Notes that have kept the template come back as they are.
 */
export function mendNotes(notes: string): string {
  if (keepsTemplate(notes)) return notes;
  const found = sectionsOf(notes);
  const hints = new Set(notesSections.map(({ hint }) => `_${hint}_`));
  const written = found.map(({ heading, lead, body }) => {
    const own = lead
      .split("\n")
      .slice(1)
      .filter((line) => line.trim() !== "" && !hints.has(line.trim()));
    return { heading, text: [...own, body].join("\n").trim() };
  });
  const loose = looseText(notes);
  const sections = notesSections.map((section, index) => {
    const texts = written.filter(({ heading }) => heading === section.heading).map(({ text }) => text);
    if (index === notesSections.length - 1) texts.push(loose);
    return [render(section), ...texts.filter((text) => text !== "")].join("\n");
  });
  return `${sections.join("\n\n")}\n`;
}

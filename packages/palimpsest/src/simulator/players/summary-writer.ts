import { cutText } from "../cut-text.js";
import type { SummaryForm } from "./summary-form.js";
import type { Material } from "./summary-material.js";

export interface WriteSummaryOptions {
  /** About how long it may get; a small conversation gets a shorter one. Default 4096 characters. */
  readonly characters?: number;
}

/**
 * Writes a summary as a hasty model would: the first request, some of the files, the last actions, some of what
 * people said, cut short. Deterministic, and deliberately no better: checks of summaries are tested against it.
 * The place where the conversation stood is in it, so that players find it again.
 */
export function writeSummary(
  material: Material,
  form: SummaryForm,
  options: WriteSummaryOptions = {},
): string {
  const characters = Math.max(200, options.characters ?? 4096);
  switch (form.style) {
    case "tagged": {
      const titles = form.sections.map((title, index) => `${index + 1}. ${title}:`);
      const body = sections(titles, material, characters);
      const analysis = `<analysis>\nThe conversation starts with: ${quote(material.firstRequest, 120)}. ${material.actions.length} tool calls follow.\n</analysis>\n\n`;
      return `${form.analysis ? analysis : ""}<summary>\n${body}\n</summary>`;
    }
    case "state-snapshot": {
      const share = Math.floor(characters / form.parts.length);
      const parts = form.parts.map((part) => `<${part}>\n${paragraph(part, material, share)}\n</${part}>`);
      return `<state_snapshot>\n${parts.join("\n")}\n${place(material)}</state_snapshot>`;
    }
    case "observations": {
      const lines = paragraph("all", material, characters).split("\n");
      const list = lines.map((line) => `* ${line.replace(/^- /, "")}`).join("\n");
      return `<observations>\n${list}\n${place(material)}</observations>\n\n<current-task>\n${paragraph("current", material, 400)}\n</current-task>`;
    }
    case "headings":
      return sections(form.headings, material, characters);
    case "plain":
      return sections(
        ["Goal:", "Files:", "Errors:", "User messages:", "Current work:"],
        material,
        characters,
      );
  }
}

function sections(titles: readonly string[], material: Material, characters: number): string {
  const share = Math.floor((characters - titles.join("").length) / Math.max(1, titles.length));
  const written = titles.map((title) => `${title}\n${paragraph(title, material, Math.max(60, share))}`);
  return `${written.join("\n\n")}\n\n${place(material)}`.trimEnd();
}

const place = ({ lastCallId }: Material): string =>
  lastCallId === undefined ? "" : `Last tool call: ${lastCallId}\n`;

/** What is said under a title, by what the title is about. */
function paragraph(title: string, material: Material, characters: number): string {
  const { firstRequest, files, errors, userMessages, actions, remarks, earlier } = material;
  const name = title.toLowerCase().replaceAll("_", " ");
  const start = firstRequest === "" ? "No request was stated." : `The user asked: ${firstRequest}`;
  const before = earlier === "" ? [] : [`Before that: ${earlier}`];
  if (/user messages|user said/.test(name)) return list(some(userMessages, 12), { each: 80, characters });
  if (/file|code|artifact/.test(name)) return list(some(files, 30), { each: 100, characters });
  if (/error|fix|block/.test(name)) return list(errors.slice(-5), { each: 120, characters });
  if (/concept|knowledge|technical|constraint|preference|learning/.test(name)) {
    return list(unique(files.map((file) => file.slice(file.lastIndexOf(".") + 1))), { each: 20, characters });
  }
  if (/pending|next|todo|plan|continuing/.test(name)) {
    return cutText(`- Go on with: ${userMessages.at(-1) ?? firstRequest}`, characters);
  }
  if (/current|work|state|progress|done|complete|recent|action/.test(name)) {
    return list([...actions.slice(-12), ...remarks.slice(-2)], { each: 160, characters });
  }
  if (/request|intent|goal|objective|purpose/.test(name))
    return cutText([start, ...before].join("\n"), characters);
  if (/all|summary|detail/.test(name)) {
    const lines = [start, ...before, ...some(userMessages, 6), ...actions.slice(-20), ...remarks.slice(-4)];
    return list(lines, { each: 200, characters });
  }
  return cutText(remarks.at(-1) ?? "- Nothing to report.", Math.min(characters, 200));
}

function list(
  lines: readonly string[],
  { each, characters }: { readonly each: number; readonly characters: number },
): string {
  if (lines.length === 0) return "- (none)";
  let written = "";
  for (const line of lines) {
    const item = `- ${line.length > each ? `${cutText(line, each)}…` : line}\n`;
    if (written !== "" && written.length + item.length > characters) break;
    written += item;
  }
  return written.trimEnd();
}

/** At most so many, from both ends: the middle is forgotten. */
function some(values: readonly string[], most: number): readonly string[] {
  if (values.length <= most) return values;
  const head = Math.floor(most / 3);
  return [...values.slice(0, head), ...values.slice(head - most)];
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];

const quote = (text: string, characters: number): string => `"${cutText(text, characters)}"`;

import type { ToolDefinition } from "@palimpsest/core";
import { cutText } from "../cut-text.js";
import type { Material } from "./summary-material.js";
import { mapCall, type MappedCall } from "./tool-mapping.js";

export interface NotesFile {
  readonly path?: string;
  readonly notes?: string;
}

/**
 * The edits that bring notes up to date, through the edit tool that is offered: a few sections, each from its
 * italic line to the next heading. Headings and italic lines stay. None where there is no such tool, or where
 * the request does not show the file.
 */
export function writeNotesEdits(
  file: NotesFile,
  material: Material,
  tools: readonly ToolDefinition[],
): readonly MappedCall[] {
  const { path, notes } = file;
  if (path === undefined || notes === undefined) return [];
  return sectionsOf(notes).flatMap(({ heading, lead, body }) => {
    const text = textFor(heading, material);
    if (text === undefined || text === body.trim()) return [];
    const old = body.trim() === "" ? lead : `${lead}${body}`.trimEnd();
    const mapped = mapCall(
      { kind: "edit", input: { path, old_string: old, new_string: `${lead.trimEnd()}\n\n${text}` } },
      tools,
    );
    return mapped === undefined ? [] : [mapped];
  });
}

interface Section {
  readonly heading: string;
  /** The heading and the italic line under it, as they stand in the file. */
  readonly lead: string;
  readonly body: string;
}

function sectionsOf(notes: string): readonly Section[] {
  const starts = [...notes.matchAll(/^#{1,3} +(.+)$/gm)];
  return starts.map((match, index) => {
    const whole = notes.slice(match.index, starts[index + 1]?.index ?? notes.length);
    const lead = /^#.*\n(?:\s*\n)?(?:_.*_[^\S\n]*\n?)?/.exec(whole)?.[0] ?? whole;
    return { heading: match[1] ?? "", lead: lead.trimEnd(), body: whole.slice(lead.trimEnd().length) };
  });
}

function textFor(heading: string, material: Material): string | undefined {
  const name = heading.toLowerCase();
  if (name.includes("title")) return cutText(material.firstRequest, 60) || undefined;
  if (name.includes("current")) return material.actions.at(-1) ?? material.remarks.at(-1);
  if (name.includes("task") || name.includes("specification"))
    return cutText(material.firstRequest, 400) || undefined;
  if (name.includes("files")) return bullets(material.files.slice(0, 12));
  if (name.includes("error")) return bullets(material.errors.slice(-3));
  if (name.includes("worklog")) return bullets(material.actions.slice(-8));
  return undefined;
}

const bullets = (lines: readonly string[]): string | undefined =>
  lines.length === 0 ? undefined : lines.map((line) => `- ${line}`).join("\n");

import type { ToolResultBlock } from "../../messages/content.js";

/** What a call read. */
export interface FileRead {
  readonly path: string;
  /** From the first line to the last, as far as the call says. */
  readonly isWhole: boolean;
}

const PATH_FIELDS = ["file_path", "path", "filePath", "absolute_path", "target_file", "filename"] as const;
const LIST_FIELDS = ["paths", "file_paths", "files"] as const;
const PART_FIELDS = [
  "offset",
  "limit",
  "pages",
  "start_line",
  "end_line",
  "startLine",
  "endLine",
  "line_start",
  "line_end",
  "view_range",
  "range",
] as const;

/** The files that the input of a reading tool names; a path is taken as it is written. */
export function fileReadsOf(input: unknown): readonly FileRead[] {
  if (typeof input !== "object" || input === null) return [];
  const fields = input as Readonly<Record<string, unknown>>;
  const isWhole = PART_FIELDS.every((name) => fields[name] === undefined || fields[name] === null);
  const single = PATH_FIELDS.map((name) => fields[name]).find(isPath);
  if (single !== undefined) return [{ path: single, isWhole }];
  const list = LIST_FIELDS.map((name) => fields[name]).find(Array.isArray) ?? [];
  return list.filter(isPath).map((path) => ({ path, isWhole }));
}

const isPath = (value: unknown): value is string => typeof value === "string" && value !== "";

/** The answer of a reading tool that only says that nothing changed since the last read. */
const UNCHANGED = /^\s*(?:<[a-z-]+>\s*)?file (?:is )?unchanged\b/i;

/** Whether the result shows what was asked for: no error, and not the stub for an unchanged file. */
export function showsFile(block: ToolResultBlock): boolean {
  if (block.is_error === true) return false;
  const { content } = block;
  const text = typeof content === "string" ? content : firstText(content);
  return text === undefined || !UNCHANGED.test(text);
}

function firstText(content: unknown): string | undefined {
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  if (typeof first !== "object" || first === null || !("text" in first)) return undefined;
  return typeof first.text === "string" ? first.text : undefined;
}

import type { ToolResultBlock } from "../../../../messages/content.js";
import type { CompactableKind } from "../../../tools/compactable-tools.js";

/** How a call came to nothing: by itself, or because the person did not want it. */
export type Failure = "failed" | "rejected";

const REJECTED = /user (?:doesn't want to proceed|declined|denied|rejected)|rejected by (?:the )?user/i;
const EXIT_CODE = /\bexit(?:ed)?(?: with)?[ _]?(?:code|status)?["']?:? ?([1-9]\d{0,2})\b/i;
const TRACEBACK = "Traceback (most recent call last)";
const ERROR_START = /^\s*(?:<tool_use_error>|(?:error|fatal|panic)\b[:!( ])/i;
const HEAD = 400;
const TAIL = 300;
/** What such tools return is somebody else's text, which may well speak of errors. */
const QUOTING: ReadonlySet<CompactableKind | undefined> = new Set([
  "file-read",
  "grep",
  "glob",
  "web-fetch",
  "web-search",
]);

/** Whether a result tells of a failure. Looks at its flag, its head and its tail. */
export function failureOf(
  { is_error: isError }: ToolResultBlock,
  { kind, text }: { readonly kind: CompactableKind | undefined; readonly text: string },
): Failure | undefined {
  const head = text.slice(0, HEAD);
  if (isError === true) return REJECTED.test(head) ? "rejected" : "failed";
  if (QUOTING.has(kind)) return undefined;
  if (ERROR_START.test(head)) return "failed";
  if (kind !== "shell" && kind !== undefined) return undefined;
  const tail = text.length > HEAD ? text.slice(-TAIL) : "";
  const hasFailed =
    EXIT_CODE.test(head) || EXIT_CODE.test(tail) || (kind === "shell" && head.includes(TRACEBACK));
  return hasFailed && tellsSomething(text) ? "failed" : undefined;
}

/** A search that finds nothing ends with a code too: no failure worth remembering. */
const tellsSomething = (text: string): boolean => text.length > HEAD || informativeLines(text).length > 0;

const BOILERPLATE =
  /^\s*(?:chunk id:|wall time:|process exited with|original token count:|output:|stdout:|stderr:|exit(?:ed with)? code\b|command exited with|total output lines:|$)/i;
const TELLING =
  /error|fail|fatal|panic|exception|cannot|can't|could not|not found|undefined|no such|unexpected|expected|assert|denied|unknown|invalid|refused|timed? ?out/i;

const SHOWN_LINES = 3;

function informativeLines(text: string): readonly string[] {
  return text
    .slice(0, 4000)
    .split(/\r?\n/)
    .filter((line) => !BOILERPLATE.test(line));
}

/** The few lines of a failing result that say what was wrong. */
export function tellingLines(text: string): string {
  const said = /the user said:\s*([\s\S]{1,2000})/i.exec(text.slice(0, 4000))?.[1];
  if (said !== undefined) return said;
  const lines = [
    ...informativeLines(text),
    ...(text.length > 8000 ? informativeLines(text.slice(-4000)) : []),
  ];
  const telling = lines.filter((line) => TELLING.test(line));
  return (telling.length > 0 ? telling : lines).slice(0, SHOWN_LINES).join("\n");
}

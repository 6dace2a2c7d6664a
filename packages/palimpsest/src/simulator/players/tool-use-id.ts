/** What an id of ours says: which conversation, which response of the plan, which call in it. */
export interface ToolUseIdParts {
  /** Letters and digits. */
  readonly tag: string;
  readonly step: number;
  readonly call: number;
}

const pattern = /toolu_sim_([a-z0-9]+)_(\d{1,9})_(\d{1,9})(?:_\d{1,9})?/;
const wholePattern = new RegExp(`^${pattern.source}$`);

/**
 * An id that carries its place: `toolu_sim_<tag>_<step>_<call>`. Where the conversation holds that id
 * already, a number is added, so that an id never stands twice in one request.
 */
export function makeToolUseId(parts: ToolUseIdParts, isTaken: (id: string) => boolean): string {
  const id = `toolu_sim_${parts.tag}_${parts.step}_${parts.call}`;
  let unique = id;
  for (let again = 2; isTaken(unique); again += 1) unique = `${id}_${again}`;
  return unique;
}

/** The parts of an id of ours; undefined for every other id. */
export function parseToolUseId(id: unknown): ToolUseIdParts | undefined {
  const match = typeof id === "string" ? wholePattern.exec(id) : null;
  return match === null ? undefined : partsOf(match);
}

/** The last id of ours that a text mentions: a summary that names it says where its conversation stood. */
export function mentionedToolUseId(text: string): ToolUseIdParts | undefined {
  if (!text.includes("toolu_sim_")) return undefined;
  const last = [...text.matchAll(new RegExp(pattern, "g"))].at(-1);
  return last === undefined ? undefined : partsOf(last);
}

const partsOf = (match: RegExpMatchArray): ToolUseIdParts => ({
  tag: match[1] ?? "",
  step: Number(match[2]),
  call: Number(match[3]),
});

import type { Skill } from "./skill.js";

export interface SkillListingOptions {
  /** Characters of one description. Default 250. */
  readonly maxDescription?: number;
  /** Characters of all lines. Default 8,000. */
  readonly maxCharacters?: number;
}

/**
 * The skills that the model may invoke, a line each. Where there is no room for all descriptions the last ones
 * lose theirs, then their place. Undefined where there are none.
 */
export function skillListing(
  skills: readonly Skill[],
  { maxDescription = 250, maxCharacters = 8000 }: SkillListingOptions = {},
): string | undefined {
  const offered = skills.filter(({ isForModel }) => isForModel);
  if (offered.length === 0) return undefined;
  const bare = offered.map(({ name }) => `- ${name}`);
  const spare = maxCharacters - bare.reduce((sum, line) => sum + line.length + 1, 0);
  const lines: string[] = [];
  let left = spare;
  let room = maxCharacters;
  let hidden = 0;
  for (const [index, skill] of offered.entries()) {
    const description = cut(skill.description, maxDescription);
    const extra = description === "" ? "" : `: ${description}`;
    const isTold = extra.length <= left;
    const line = `${bare[index] ?? ""}${isTold ? extra : ""}`;
    if (line.length + 1 > room) {
      hidden += 1;
      continue;
    }
    if (isTold) left -= extra.length;
    room -= line.length + 1;
    lines.push(line);
  }
  const rest = hidden === 0 ? [] : [`(${hidden} more are not listed)`];
  return [...lines, ...rest].join("\n");
}

/** The part of the prompt that tells the model of them. */
export function skillSection(
  skills: readonly Skill[],
  options: SkillListingOptions = {},
): string | undefined {
  const listing = skillListing(skills, options);
  if (listing === undefined) return undefined;
  return `# Skills\n\nWays of doing certain tasks that somebody wrote down. When a task fits one of them, call the Skill tool with its name before you start, and follow what it says.\n\n${listing}`;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

import { commonLength, type ComparedPrompt } from "./first-difference.js";

const MOST_COMPARED = 32;
/** A date with a time, an id, a counter: longer than these nothing is that changes with every start. */
const LONGEST_VOLATILE = 64;

/**
 * The newest earlier request of the same model whose tools and system prompt are those of this one, but for a few
 * characters with a digit among them: a date, a time, a number, an id. Undefined where one has the very same head, and where
 * none is that alike: another agent is not a break.
 */
export function volatileHead<Prompt extends ComparedPrompt>(
  earlier: readonly Prompt[],
  now: ComparedPrompt,
): Prompt | undefined {
  const head = headOf(now);
  let found: Prompt | undefined;
  for (const prompt of earlier.slice(-MOST_COMPARED).toReversed()) {
    if (prompt.settings.model !== now.settings.model) continue;
    const other = headOf(prompt);
    if (other === head) return undefined;
    if (found === undefined && isVolatile(other, head)) found = prompt;
  }
  return found;
}

const headOf = ({ parts }: ComparedPrompt): string =>
  parts
    .filter(({ section }) => section !== "messages")
    .map(({ path, text }) => `${path}\n${text}`)
    .join("\n");

function isVolatile(before: string, now: string): boolean {
  const start = commonLength(before, now);
  const most = Math.min(before.length, now.length) - start;
  let end = 0;
  while (end < most && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [before, now].every((text) => {
    const middle = text.slice(start, text.length - end);
    return middle.length <= LONGEST_VOLATILE && /\d/.test(middle);
  });
}

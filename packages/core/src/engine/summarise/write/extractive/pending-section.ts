import { oneLine } from "../../../../messages/plain-text.js";
import type { HumanText } from "../../people/human-text.js";
import type { Allowance } from "./allowance.js";
import { LATEST_REQUEST } from "../../shape/labels.js";
import type { Plan } from "./survey.js";
import type { Todo } from "./todos.js";

const ITEM_CHARACTERS = 240;
const PLAN_CHARACTERS = 160;
const MAX_READ = 50_000;

/** Section 7: to-dos that are open, steps of the plan, and the request that came last. */
export function pendingSection(
  {
    todos,
    plan,
    texts,
  }: {
    readonly todos: readonly Todo[];
    readonly plan: Plan | undefined;
    readonly texts: readonly HumanText[];
  },
  allowance: Allowance,
): readonly string[] {
  const lines: string[] = [];
  const add = (line: string): boolean => {
    const fits = allowance.take(line);
    if (fits) lines.push(line);
    return fits;
  };
  const last = texts.at(-1);
  const request = last === undefined ? [] : [`${LATEST_REQUEST}${oneLine(last.text, ITEM_CHARACTERS)}`];
  const open = todos.map(
    ({ content, status }) => `   - [${oneLine(status, 20)}] ${oneLine(content, ITEM_CHARACTERS)}`,
  );
  const steps = plan === undefined ? [] : planLines(plan);
  for (const line of [...request, ...open, ...steps]) {
    if (!add(line)) break;
  }
  return lines;
}

function planLines({ path, content }: Plan): readonly string[] {
  const steps = stepsOf(content.slice(0, MAX_READ)).map((step) => `      ${oneLine(step, PLAN_CHARACTERS)}`);
  if (steps.length === 0 && path === "") return [];
  return [path === "" ? "   - The plan:" : `   - The plan, at ${oneLine(path, 400)}:`, ...steps];
}

/** Steps that are not ticked off; where none can be, its titles and numbered lines. */
function stepsOf(plan: string): readonly string[] {
  const lines = plan.split(/\r?\n/);
  const open = lines.filter((line) => /^\s*[-*] \[ \] /.test(line));
  const isTicked = lines.some((line) => /^\s*[-*] \[[xX]\] /.test(line));
  return open.length > 0 || isTicked
    ? open
    : lines.filter((line) => /^(?:#{1,4} |\s{0,3}\d+[.)] )/.test(line));
}

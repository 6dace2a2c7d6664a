import { defaultPromptSettings, type PromptSettings } from "../settings/prompt-settings.js";
import { promptName } from "../base/shown-path.js";

const BRIEF = `# Brevity
Say as little as the work allows: the result first, in one or two sentences where they do. Repeat neither the question nor what you did step by step, and offer nothing at the end.`;

const AUTONOMOUS = `# On your own
Nobody reads along, and nobody answers. Do not ask and do not wait for leave: decide yourself, choose what is easiest to undo, and name these decisions at the end. Go on until the work is done or cannot go on.`;

const LENGTHS = `# Length
- Before and between calls: 30 words at most, and none where the calls speak for themselves.
- The last answer: 150 words at most, unless the person asked for a text, a list or a plan.`;

const budgetText = (tokens: number): string => `# Budget
For all that you write in this conversation there are about ${tokens.toLocaleString("en-US")} tokens, calls and thinking included. Do what matters most first. When little is left, finish the step at hand and say what remains to be done.`;

const scratchpadText = (path: string): string => `# Scratchpad
Files that nobody needs afterwards (trial scripts, notes, intermediate results) belong into ${promptName(path)}, not among the files of the project and not into /tmp. You may write there without asking.`;

/** What the settings add to the system prompt; undefined where they add nothing. */
export function optionalSections(
  settings: PromptSettings = defaultPromptSettings,
  scratchpad?: string,
): string | undefined {
  const { briefAnswers, autonomous, lengthAnchors, tokenBudget } = settings;
  const parts = [
    ...(briefAnswers ? [BRIEF] : []),
    ...(lengthAnchors ? [LENGTHS] : []),
    ...(autonomous ? [AUTONOMOUS] : []),
    ...(tokenBudget === undefined ? [] : [budgetText(tokenBudget)]),
    ...(scratchpad === undefined ? [] : [scratchpadText(scratchpad)]),
  ];
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

import type { Message } from "../../../../messages/message.js";
import { createCompactableTools, type CompactableTools } from "../../../tools/compactable-tools.js";
import type { Estimator } from "../../../ports/estimator.js";
import type { HumanText } from "../../people/human-text.js";
import { carriesTexts } from "../../people/human-texts.js";
import { sectionTitles } from "../../shape/sections.js";
import type { SummaryVariant } from "../../../events/summary-variant.js";
import { Allowance } from "./allowance.js";
import { conceptsSection } from "./concepts-section.js";
import { earlierLines, readEarlierSummary } from "./earlier-summary.js";
import { errorsSection } from "./errors-section.js";
import { FilesSection } from "./files-section.js";
import { NOTHING } from "../../shape/labels.js";
import { insightsSection } from "./insights-section.js";
import { messagesSection } from "./messages-section.js";
import { nextSection } from "./next-section.js";
import { pendingSection } from "./pending-section.js";
import { requestSection } from "./request-section.js";
import { surveyOf, type Plan } from "./survey.js";
import { openTodos, type Todo } from "./todos.js";
import { workSection } from "./work-section.js";

export interface ExtractiveOptions {
  readonly estimator: Estimator;
  readonly variant: SummaryVariant;
  /** What people said, as section 6 is to quote it (`humanTextsOf`). */
  readonly humanTexts: readonly HumanText[];
  /** For everything but section 6; never less than the nine titles take. */
  readonly budgetTokens?: number;
  /** Section 6: up to here a message is quoted word for word. */
  readonly perMessageTokens?: number;
  /** Section 6: all quotations together. */
  readonly totalTokens?: number;
  /** The to-do list as it stands; without one the last that the messages show. */
  readonly todos?: readonly Todo[] | undefined;
  readonly plan?: Plan;
  readonly transcriptPath?: string | undefined;
  readonly tools?: CompactableTools;
}

export interface ExtractiveSummary {
  readonly text: string;
  /** What stands in each of the nine sections, without its title; never empty. */
  readonly sections: readonly string[];
  readonly tokens: number;
}

const EXTRACTIVE_TOKENS = 10_000;
/** Shares of the budget. Together they are more than all of it: few sections use all of theirs. */
const SHARES = {
  next: 0.07,
  pending: 0.07,
  request: 0.07,
  excerptsFirst: 0.12,
  work: 0.2,
  workBeforeEarlier: 0.3,
  earlier: 0.2,
  errors: 0.12,
  insights: 0.15,
  concepts: 0.08,
} as const;
const EXCERPT_LINES = 16;

/**
 * A summary made of the messages alone, without a model: the same for the same messages, within its budget.
 * What tools returned is quoted as data: no line of it can be taken for a title or the end of the summary.
 */
export function writeExtractive(live: readonly Message[], options: ExtractiveOptions): ExtractiveSummary {
  const { estimator, variant, humanTexts, budgetTokens = EXTRACTIVE_TOKENS } = options;
  const titles = sectionTitles(variant).map((title, index) => `${index + 1}. ${title}:`);
  const whole = new Allowance(budgetTokens, estimator);
  // Every section may turn out empty.
  whole.spend(titles.reduce((sum, title) => sum + whole.costOf(`${title}\n${NOTHING}\n`), 0));
  const budget = Math.max(0, whole.left);
  const survey = surveyOf(live, options.tools ?? createCompactableTools());
  const earlier = readEarlierSummary(survey.earlier);
  const share = (name: keyof typeof SHARES): Allowance => whole.share(budget * SHARES[name]);

  const files = new FilesSection(survey, earlier);
  files.nameChanged(whole, budget);
  const next = nextSection(survey, share("next"));
  const todos = options.todos === undefined ? survey.todos : openTodos(options.todos);
  const pending = pendingSection(
    { todos, plan: options.plan ?? survey.plan, texts: humanTexts },
    share("pending"),
  );
  const request = requestSection(humanTexts, share("request"));
  files.nameOthers(whole, budget);
  files.addExcerpts(share("excerptsFirst"), EXCERPT_LINES);
  // The last turns and earlier work are sure of their shares, and take what is left in the end.
  const hasEarlier = earlier.bodies.size > 0;
  const reserved = Math.min(whole.left, budget * (SHARES.work + (hasEarlier ? SHARES.earlier : 0)));
  whole.spend(reserved);
  const errors = errorsSection(survey, share("errors"));
  const insights = insightsSection(survey, share("insights"));
  const concepts = conceptsSection(survey, share("concepts"));
  files.addExcerpts(whole, EXCERPT_LINES);
  whole.spend(-reserved);
  const work = workSection(survey, hasEarlier ? share("workBeforeEarlier") : whole);
  const tokens = whole.left;
  const carried = (section: number): readonly string[] =>
    earlierLines(earlier, section, { allowance: whole, tokens });

  const bodies = [
    [...request, ...carried(1)],
    [...concepts, ...carried(2)],
    [...files.lines(), ...carried(3)],
    [...errors, ...carried(4)],
    [...insights, ...carried(5)],
    messagesSection(humanTexts, { ...options, earlier, isCarried: isCarried(live, humanTexts) }),
    [...pending, ...carried(7)],
    [...carried(8), ...work],
    next,
  ].map((lines) => (lines.length === 0 ? NOTHING : lines.join("\n")));
  const text = titles.map((title, index) => `${title}\n${bodies[index] ?? NOTHING}`).join("\n\n");
  return { text, sections: bodies, tokens: estimator.block(text) };
}

/** Whether some of it was said in messages that are gone; the boundary that carries it may stand elsewhere. */
function isCarried(live: readonly Message[], humanTexts: readonly HumanText[]): boolean {
  const own = new Set(live.map(({ uuid }) => uuid));
  return live.some(carriesTexts) || humanTexts.some(({ uuid }) => !own.has(uuid));
}

import { contentText } from "../../../../messages/fields.js";
import type { Message } from "../../../../messages/message.js";
import { createCompactableTools, type CompactableTools } from "../../../tools/compactable-tools.js";
import type { Estimator } from "../../../ports/estimator.js";
import { humanTextsOf } from "../../people/human-texts.js";
import { Allowance, newestThatFit } from "./allowance.js";
import { earlierLines, readEarlierSummary } from "./earlier-summary.js";
import { EARLIER_LABEL } from "../../shape/labels.js";
import { errorsSection } from "./errors-section.js";
import { FilesSection } from "./files-section.js";
import { insightsSection } from "./insights-section.js";
import { surveyOf } from "./survey.js";
import { oneLine } from "../../../../messages/plain-text.js";

/** With these words a digest begins. */
export const DIGEST_HEADING = "[digest of the earlier conversation, which was left out here]";

const DIGEST_TOKENS = 2000;

export interface DigestOptions {
  readonly estimator: Estimator;
  readonly budgetTokens?: number;
  readonly tools?: CompactableTools;
}

/** Whether a message is a digest: one that a program wrote and that says so. */
export function isDigest(message: Message): boolean {
  if (message.type !== "user" || message.isMeta !== true) return false;
  return contentText(message.message?.content).startsWith(DIGEST_HEADING);
}

const SHARES = { said: 0.32, earlier: 0.25, errors: 0.2, insights: 0.3 } as const;
const SAID_CHARACTERS = 240;
const EARLIER_SECTIONS = [1, 3, 4, 5, 8];

/** What messages that a summary call has to do without held, in few words; undefined where they show nothing. */
export function writeDigest(dropped: readonly Message[], options: DigestOptions): string | undefined {
  const { estimator, budgetTokens = DIGEST_TOKENS, tools = createCompactableTools() } = options;
  const whole = new Allowance(budgetTokens, estimator);
  if (!whole.take(DIGEST_HEADING)) return undefined;
  const budget = whole.left;
  const survey = surveyOf(
    dropped.filter((message) => !isDigest(message)),
    tools,
  );
  const earlier = readEarlierSummary(survey.earlier);
  const part = (label: string, write: () => readonly string[]): readonly string[] => {
    const cost = whole.costOf(label);
    if (cost > whole.left) return [];
    whole.spend(cost);
    const lines = write();
    if (lines.length === 0) whole.spend(-cost);
    return lines.length === 0 ? [] : [label, ...lines];
  };
  const said = part("The user said:", () => {
    const texts = humanTextsOf(dropped);
    return newestThatFit(texts, whole.share(budget * SHARES.said), ({ text }) => [
      `   - ${oneLine(text, SAID_CHARACTERS)}`,
    ]);
  });
  const files = part("Files that were changed:", () => {
    const section = new FilesSection(
      { ...survey, files: changedOnly(survey.files), changedOutside: [] },
      earlier,
    );
    section.nameChanged(whole, budget);
    section.nameOthers(whole, budget);
    return section.lines();
  });
  const carried = part("From the summary before:", () =>
    EARLIER_SECTIONS.flatMap((section) =>
      earlierLines(earlier, section, { allowance: whole, tokens: budget * SHARES.earlier }),
    ).filter((line) => line !== EARLIER_LABEL),
  );
  const errors = part("Errors:", () => errorsSection(survey, whole.share(budget * SHARES.errors)));
  const insights = part("The assistant said:", () =>
    insightsSection(survey, whole.share(budget * SHARES.insights)),
  );
  const lines = [...carried, ...said, ...files, ...errors, ...insights];
  return lines.length === 0 ? undefined : [DIGEST_HEADING, ...lines].join("\n");
}

const changedOnly = <File extends { readonly changes: number }>(
  files: ReadonlyMap<string, File>,
): ReadonlyMap<string, File> => new Map([...files].filter(([, { changes }]) => changes > 0));

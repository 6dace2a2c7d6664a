import { shownPath } from "../../../messages/shown-path.js";
import type { Attachment } from "../../../messages/message.js";
import type { Estimator } from "../../ports/estimator.js";
import type { Settings } from "../../settings/settings.js";
import { attachmentTokens, MOST_CHARACTERS_PER_TOKEN } from "../attachment-tokens.js";
import { cutText } from "../cut-text.js";
import { linesWithin } from "../lines-within.js";
import type { InvokedSkill } from "../ports/invoked-skills.js";
import type { ChannelResult, SkippedItem } from "../restored.js";

export interface SkillsChannelOptions {
  readonly agentId: string | undefined;
  readonly estimator: Estimator;
  readonly settings: Pick<Settings, "restoreSkillTokens" | "restoreSkillsTokens">;
}

interface ShownSkill {
  readonly name: string;
  readonly path: string;
  readonly content: string;
}

const attach = (skills: readonly ShownSkill[]): Attachment => ({ type: "invoked_skills", skills });

/**
 * The skills of this agent in one attachment, the last invoked first: each from its original and cut to its
 * budget. One that does not fit beside those before it is passed over; a smaller older one may still fit.
 */
export function restoreSkills(
  invoked: readonly InvokedSkill[],
  { agentId, estimator, settings }: SkillsChannelOptions,
): ChannelResult {
  const tokensOf = (skills: readonly ShownSkill[]): number => attachmentTokens(attach(skills), estimator);
  const limit = settings.restoreSkillTokens;
  const mostCharacters = limit * MOST_CHARACTERS_PER_TOKEN;
  const shown: ShownSkill[] = [];
  const skipped: SkippedItem[] = [];
  let total = 0;
  for (const { name, path, content } of newestOfEach(invoked, agentId)) {
    // The frame of the attachment counts in each budget: as many that are cut fit as the numbers say.
    const sizeOf = (text: string): number => tokensOf([{ name, path, content: text }]);
    const marker = `[cut here to save room: the rest can be read at ${shownPath(path)}]`;
    const cut = cutText(content.slice(0, mostCharacters), {
      fits: (text) => sizeOf(text) <= limit,
      marker: () => marker,
      guess: (text, ends) => linesWithin(text, ends, { estimator, limit: limit - sizeOf(marker) }),
      isPart: content.length > mostCharacters,
    });
    const next = cut === undefined ? undefined : { name, path, content: cut.text };
    const tokens = next === undefined ? Infinity : tokensOf([...shown, next]);
    if (next === undefined || tokens > settings.restoreSkillsTokens) {
      skipped.push({ channel: "skills", path, reason: "does-not-fit" });
      continue;
    }
    shown.push(next);
    total = tokens;
  }
  if (shown.length === 0) return { items: [], skipped };
  return { items: [{ channel: "skills", attachment: attach(shown), tokens: total }], skipped };
}

/** Of each skill that this agent itself invoked the last invocation, the newest first; blank ones left out. */
function newestOfEach(
  invoked: readonly InvokedSkill[],
  agentId: string | undefined,
): readonly InvokedSkill[] {
  const names = new Set<string>();
  return invoked
    .filter((skill) => (skill.agentId ?? undefined) === agentId && skill.content.trim() !== "")
    .toReversed()
    .toSorted((a, b) => b.invokedAt - a.invokedAt)
    .filter(({ name }) => !names.has(name) && names.add(name));
}

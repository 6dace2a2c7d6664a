import { cutText } from "../cut-text.js";

const openings =
  /^\s*(?:<[a-z_-]+>\s*)?(?:\*\*|#+ )?(?:this (?:session|conversation) (?:is being continued|is a continuation|continues)|another language model started|the conversation (?:history )?before this point|here is (?:a|the) summary of|\[?context (?:was|has been) compacted|(?:previous|earlier) conversation summary|summary of (?:the |our )?(?:previous|earlier)|what did we do so far\?)/i;

const summaryElement =
  /<(summary|state_snapshot|conversation_summary|context_summary|previous_summary|observations)\b[^>]*>[\s\S]{80,}<\/\1>/;

/** Whether a text stands in for messages that a compaction took out: an old summary, not a request for one. */
export function isContinuation(text: string): boolean {
  return (
    openings.test(text) ||
    /\bran out of context\b|\bcontinu(?:es|ing) an earlier (?:one|conversation|session)\b/i.test(
      cutText(text, 400),
    ) ||
    summaryElement.test(text)
  );
}

/** The same, by its first words only: a request for a summary may show the form of one further down. */
export const opensAsContinuation = (text: string): boolean =>
  openings.test(text) ||
  (/^\s*<[a-z_]+>/.test(text) && summaryElement.exec(text)?.index === text.search(/\S/));

/** What some agents put into the assistant's mouth after a summary: not an answer of ours. */
export const isAcknowledgement = (text: string): boolean =>
  text.length < 120 && /^\s*(?:got it|understood|ok(?:ay)?|thanks|acknowledged)\b/i.test(text);

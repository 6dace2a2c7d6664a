import { createUserMessage, type MessageOrigin } from "../../../messages/construct.js";
import type { UserMessage } from "../../../messages/message.js";

export interface SummaryMessageParts {
  readonly summary: string;
  readonly transcriptPath?: string | undefined;
  /** What went and how it is found again, where the host has a tool for it (`DroppedHint`). */
  readonly droppedHint?: string | undefined;
  /** `ask`: the person compacted by hand and may be asked. `continue`: go on without asking. `autonomous`: nobody is there. */
  readonly continuation: "ask" | "continue" | "autonomous";
  /** Newer messages stand after the summary word for word. */
  readonly hasKeptMessages: boolean;
  /** The last calls and the names in use (`writeWorkRecord`). */
  readonly workRecord?: string | undefined;
}

const OPENING =
  "This conversation continues an earlier one whose context was used up. What follows is a summary of it.";

const KEPT = "The most recent messages were kept and follow the summary word for word.";

const ASK = "Go on from there; where you are unsure, ask first.";

const GO_ON =
  "Go on with the work exactly where it stopped, as if there had been no break: ask nothing first, and do not confirm, " +
  "repeat or announce anything.";

const AUTONOMOUS =
  "You are working on your own in a loop that is already running. This is not a first start: continue it, without a " +
  "greeting.";

const LABEL = "Summary:";

/** Whether a text is what the model reads in place of a conversation: the text of a summary message. */
export const isSummaryText = (text: string): boolean => text.startsWith(`${OPENING}\n\n${LABEL}\n`);

/** What the model reads in place of the conversation. */
export function createSummaryMessage(origin: MessageOrigin, parts: SummaryMessageParts): UserMessage {
  const { summary, transcriptPath, droppedHint, continuation, hasKeptMessages, workRecord } = parts;
  const content = [
    OPENING,
    `${LABEL}\n${summary}`,
    workRecord,
    transcriptPath &&
      `The full transcript is at ${transcriptPath}: read it where you need exact details from before the ` +
        "summary, such as code, error texts or something you wrote.",
    droppedHint,
    hasKeptMessages && KEPT,
    continuation === "ask" ? ASK : GO_ON,
    continuation === "autonomous" && AUTONOMOUS,
  ]
    .filter(Boolean)
    .join("\n\n");
  return createUserMessage(origin, { content, isCompactSummary: true, isVisibleInTranscriptOnly: true });
}

import { isHumanMessage } from "@palimpsest/core";
import type { Compacted } from "@palimpsest/core/compaction";
import { figure } from "../../../agent/commands/figures.js";
import { plural } from "../../terminal.js";
import { writers } from "../state/compaction-words.js";
import { shownText } from "../text/shown-text.js";
import { wrapLines } from "../text/width.js";
import { saidText } from "../talk/said-text.js";
import type { TalkHandle } from "../talk/talk-handle.js";

/**
 * What only a screen can do for `/compact`: a message that is picked, a summary that is looked at before it is taken. Gives
 * the command that is left to do; undefined where there is none.
 */
export async function compactInScreen(
  args: string,
  talk: TalkHandle,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isReviewed = /(?:^|\s)--review(?:\s|$)/.test(args);
  const rest = args.replace(/(^|\s)--review(?=\s|$)/, "$1").trim();
  const picked = await withMessage(rest, talk);
  if (picked === undefined) return undefined;
  const command = `/compact ${picked}`.trim();
  if (!isReviewed) return command;
  await review(command, talk, signal);
  return undefined;
}

/** `from` and `up-to` without a message: it is picked. */
async function withMessage(args: string, talk: TalkHandle): Promise<string | undefined> {
  const [, dry = "", word] = /^(--dry-run\s+)?(from|up-to)$/.exec(args) ?? [];
  if (word === undefined) return args;
  const said = talk.session.conversation.live.filter(isHumanMessage);
  const items = said.map((message) => ({ value: message.uuid, label: saidText(message) }));
  if (items.length === 0) {
    talk.notice("There is no message to begin with yet.", "bad");
    return undefined;
  }
  const title =
    word === "from" ? "summarise from which message on?" : "summarise what stands before which message?";
  const uuid = await talk.surface.pick({ title, items, selected: items.length - 1 });
  return uuid === undefined ? undefined : `${dry}${word} ${uuid}`;
}

/** Whoever writes the summary: nothing is swapped in before the person has seen it. */
async function review(command: string, talk: TalkHandle, signal: AbortSignal): Promise<void> {
  const { surface, parts } = talk;
  parts.review.current = async ({ compacted, text }) => {
    const chosen = await surface.ask(
      {
        about: ({ width, theme }) => [
          theme.bold("The summary, before it takes the place of what it is about"),
          ...whatIsDropped(compacted).flatMap((line) => wrapLines(line, width).map(theme.dim)),
          "",
          ...wrapLines(shownText(text), width),
        ],
        choices: [
          { value: "take", label: "take it" },
          { value: "edit", label: "edit it first" },
          { value: "no", label: "do not compact" },
        ],
      },
      signal,
    );
    const answer = chosen?.values[0];
    if (answer === "edit") return surface.edit("The summary, as you want it", text);
    return answer === "take" ? text : undefined;
  };
  try {
    await talk.say(command, signal);
  } finally {
    parts.review.current = undefined;
  }
}

function whatIsDropped({
  boundary,
  kept,
  restored,
  attachments,
  writer,
  tokensBefore,
  tokensAfter,
}: Compacted): readonly string[] {
  const summarised = Number(boundary.compactMetadata?.messagesSummarized ?? 0);
  const back = restored?.attachments.length ?? attachments.length;
  return [
    `written by ${writers[writer]}`,
    `summarised: ${plural(summarised, "message")} · kept word for word: ${kept.length} · brought back: ${plural(back, "item")} · not brought back: ${restored?.skipped.length ?? 0}`,
    `${figure(tokensBefore)} → about ${figure(tokensAfter)} tokens`,
  ];
}

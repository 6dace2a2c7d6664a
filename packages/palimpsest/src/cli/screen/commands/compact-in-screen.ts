import { isHumanMessage } from "@palimpsest/core";
import { figure } from "../../../agent/commands/figures.js";
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
  const word = /^(from|up-to)$/.exec(args)?.[1];
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
  return uuid === undefined ? undefined : `${word} ${uuid}`;
}

async function review(command: string, talk: TalkHandle, signal: AbortSignal): Promise<void> {
  const { surface, parts } = talk;
  const off = new AbortController();
  const dropped = await whatIsDropped(talk);
  parts.review.current = async (summary) => {
    const chosen = await surface.ask(
      {
        about: ({ width, theme }) => [
          theme.bold("The summary, before it takes the place of what it is about"),
          ...dropped.map((line) => theme.dim(line)),
          "",
          ...wrapLines(shownText(summary), width),
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
    const edited = answer === "edit" ? await surface.edit("The summary, as you want it", summary) : summary;
    if ((answer !== "take" && answer !== "edit") || edited === undefined) {
      off.abort();
      return undefined;
    }
    return edited;
  };
  try {
    const result = await talk.say(command, AbortSignal.any([signal, off.signal]));
    // Notes, and summaries without a model, pass nobody on their way.
    const { writer } = (result.command ?? {}) as { readonly writer?: unknown };
    if (result.reason === "done" && (writer === "notes" || writer === "extractive")) {
      talk.notice(
        `The summary was written without a model (${writer}): look at it with ctrl-o, and /undo takes it back.`,
      );
    }
  } finally {
    parts.review.current = undefined;
  }
}

async function whatIsDropped({ session }: TalkHandle): Promise<readonly string[]> {
  const { steps } = await session.conversation.plan({ instructions: "" });
  const step = steps.find(({ tier }) => tier === "full" || tier === "notes");
  if (step === undefined || !("plan" in step) || step.plan.kind !== "plan") return [];
  const { summarised, kept, restored, notRestored, tokensBefore, tokensAfter } = step.plan;
  return [
    `${summarised.length} messages go into it, ${kept.length} stay word for word, ${restored.length} things come back, ${notRestored.length} do not`,
    `${figure(tokensBefore)} → about ${figure(tokensAfter)} tokens`,
  ];
}

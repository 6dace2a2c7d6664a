import {
  accountOf,
  accountTotal,
  type CompactOptions,
  type ConversationPlan,
  type EngineStep,
} from "@palimpsest/core";
import type { Compacted } from "@palimpsest/core/compaction";
import { createDefaultEstimator } from "@palimpsest/core/engine";
import type { Session } from "../session/session.js";
import { findMessage } from "../session/find-message.js";
import { dollars, figure } from "./figures.js";
import type { CommandResult } from "./command-result.js";

interface Wanted {
  readonly options: Pick<CompactOptions, "scope" | "instructions">;
  readonly isDry: boolean;
}

/** `[--dry-run] [from MESSAGE | up-to MESSAGE] [instructions]`; gives a sentence for what cannot be meant. */
export function readCompactArguments(args: string, live: Session["conversation"]["live"]): Wanted | string {
  let rest = args.trim();
  let isDry = false;
  const takeDry = (): void => {
    const without = rest.replace(/^--dry-run(?:\s+|$)/, "");
    isDry ||= without !== rest;
    rest = without;
  };
  takeDry();
  const [head, word = "", given = ""] = /^(from|up-to)(?:\s+(\S+)\s*|$)/i.exec(rest) ?? [];
  let scope: CompactOptions["scope"];
  if (head !== undefined) {
    // What was meant as a message is not paid for as an instruction.
    const how = `give its uuid, or a beginning of it with four characters or more; an instruction must not begin with "${word}".`;
    if (given === "" || given.startsWith("--")) return `/compact ${word} needs a message: ${how}`;
    const found = findMessage(live, given);
    if (found.kind !== "found") {
      return found.kind === "ambiguous"
        ? found.message
        : `/compact ${word}: ${JSON.stringify(given.slice(0, 80))} is not a message of this conversation: ${how}`;
    }
    scope = { kind: word.toLowerCase() === "from" ? "from" : "up_to", pivot: found.uuid };
    rest = rest.slice(head.length);
  }
  takeDry();
  if (/^--\S/.test(rest)) {
    return `/compact does not know ${JSON.stringify(/^\S+/.exec(rest)?.[0] ?? "")}: it takes --dry-run, from MESSAGE, up-to MESSAGE and instructions.`;
  }
  return {
    isDry,
    options: { ...(scope === undefined ? {} : { scope }), ...(rest === "" ? {} : { instructions: rest }) },
  };
}

/** Compacts, or says what that would do. */
export async function compactCommand(
  args: string,
  { session, signal }: { readonly session: Session; readonly signal: AbortSignal },
): Promise<CommandResult> {
  const { conversation } = session;
  const wanted = readCompactArguments(args, conversation.live);
  if (typeof wanted === "string") return { kind: "failed", text: wanted };
  const { options, isDry } = wanted;
  if (isDry) {
    // Without a scope it is the next request that is planned; instructions, if empty ones, ask for a compaction.
    return showPlan(await conversation.plan({ instructions: "", ...options }));
  }
  if (await hasNothingToGain(session, options)) return nothingToGain;
  const outcome = await conversation.compact({ ...options, signal });
  if (outcome.kind === "failed") {
    return { kind: "failed", text: outcome.message, data: { reason: outcome.reason } };
  }
  return { ...showCompacted(outcome), step: stepOf(outcome) };
}

/** A summary usually has that many tokens. */
const SUMMARY_TOKENS = 3500;

/** A summary of the usual length would be longer than what it is about, or nearly so: nobody is asked for one. */
async function hasNothingToGain(
  { conversation }: Session,
  { scope, ...rest }: Wanted["options"],
): Promise<boolean> {
  const { live, model } = conversation;
  const estimator = createDefaultEstimator({ model });
  const at =
    scope === undefined || scope.kind === "full" ? 0 : live.findIndex(({ uuid }) => uuid === scope.pivot);
  const summarised = scope?.kind === "up_to" ? live.slice(0, at) : live.slice(at);
  const tokens = summarised.reduce((sum, message) => sum + estimator.message(message), 0);
  // Of all of it the newest part is kept anyway.
  if (tokens > SUMMARY_TOKENS * (at === 0 ? 2 : 1)) return false;
  const { steps } = await conversation.plan({ instructions: "", ...rest, ...(scope && { scope }) });
  const step = steps.find(({ tier }) => tier === "full" || tier === "notes");
  return (
    step !== undefined && "plan" in step && step.plan.kind === "none" && step.plan.reason === "not_smaller"
  );
}

const nothingToGain: CommandResult = {
  kind: "failed",
  text: "There is nothing to gain yet: a summary would be longer than what it is about. Nothing was sent, and the conversation is unchanged.",
  data: { reason: "not_smaller" },
};

function showPlan({ tokens, steps }: ConversationPlan): CommandResult {
  const step = steps.find(({ tier }) => tier === "full" || tier === "notes");
  if (step === undefined || !("plan" in step)) {
    return { kind: "done", text: "Nothing would be compacted.", data: { tokens, plan: null } };
  }
  const { plan, tier } = step;
  if (plan.kind === "none") {
    const text = `Nothing would be compacted: ${plan.reason.replaceAll("_", " ")}.`;
    return { kind: "done", text, data: { tokens, plan: { reason: plan.reason } } };
  }
  const { cost } = plan;
  const lines = [
    `It would compact ${figure(plan.tokensBefore)} → about ${figure(plan.tokensAfter)} tokens; nothing was done.`,
    `tier ${tier}, ${plan.variant.replaceAll("_", "-")}; written by ${plan.writers.join(", else ")}`,
    `${plan.summarised.length} messages would be summarised, ${plan.kept.length} kept word for word, ${plan.restored.length} items restored`,
    `${figure(plan.cacheTokensLost)} cached tokens would be lost`,
    cost === undefined
      ? "its price is not known for this model"
      : `${dollars(cost.call + cost.rewrite)}: ${dollars(cost.call)} for the summary, ${dollars(cost.rewrite)} to write the cache anew; each later request costs ${dollars(cost.savedPerRequest)} less`,
  ];
  return { kind: "done", text: lines.join("\n"), data: { tokens, plan: { tier, ...plan } } };
}

function showCompacted(compacted: Compacted): CommandResult {
  const { tokensBefore, tokensAfter, writer, variant, kept, attachments, calls, messageForPerson } =
    compacted;
  const { dollars: cost, unpricedCalls } = accountTotal(accountOf(calls));
  const price = unpricedCalls > 0 ? "" : ` · ${dollars(cost)}`;
  const text = `Compacted ${figure(tokensBefore)} → ${figure(tokensAfter)} tokens · ${writer}${price} · ${kept.length} messages kept.`;
  return {
    kind: "done",
    // Its first line says the same; what hooks have to say follows.
    text: [text, ...messageForPerson.split("\n").slice(1)].join("\n"),
    data: {
      tokensBefore,
      tokensAfter,
      writer,
      variant,
      kept: kept.length,
      restored: attachments.length,
      boundary: compacted.boundary.uuid,
      cost: unpricedCalls > 0 ? null : cost,
    },
  };
}

const stepOf = (compacted: Compacted): EngineStep => ({
  tier: compacted.writer === "notes" ? "notes" : "full",
  added: compacted.stored,
  tokensBefore: compacted.tokensBefore,
  tokensAfter: compacted.tokensAfter,
  text: `Compacted ${figure(compacted.tokensBefore)} → ${figure(compacted.tokensAfter)} tokens.`,
  compacted,
});

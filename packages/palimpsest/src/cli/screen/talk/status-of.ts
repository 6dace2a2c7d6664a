import { accountTotal, findModel, type ConversationPlan } from "@palimpsest/core";
import { pricesAt } from "@palimpsest/core/engine";
import type { Session } from "../../../agent/session/session.js";
import type { Status } from "../state/status.js";

const LIFETIME_MS = { "5m": 5 * 60_000, "1h": 60 * 60_000 } as const;
const MILLION = 1_000_000;

/** What compacting now would do, as far as it is known. */
export function compactingOf(plan: ConversationPlan | undefined): Status["compacting"] {
  const step = plan?.steps.find(({ tier }) => tier === "full" || tier === "notes");
  if (step === undefined || !("plan" in step) || step.plan.kind !== "plan") return undefined;
  const { tokensBefore, tokensAfter, cost } = step.plan;
  if (tokensAfter >= tokensBefore) return undefined;
  return {
    dropped: tokensBefore - tokensAfter,
    ...(cost === undefined ? {} : { dollars: cost.call + cost.rewrite }),
  };
}

/** What the line says that is always in sight. */
export function statusOf(
  { conversation, agent, keptWarmAt }: Pick<Session, "conversation" | "agent" | "keptWarmAt">,
  { now, compacting }: { readonly now: number; readonly compacting: Status["compacting"] },
): Status {
  const size = conversation.size();
  const { thresholds, compactAt, pressure, tokens } = size;
  const { lastRequestAt } = conversation.ttl.state();
  const model = findModel(conversation.model);
  const ttl = lastRequestAt === undefined ? "5m" : conversation.ttl.decision().ttl;
  const last = Math.max(lastRequestAt ?? 0, keptWarmAt() ?? 0);
  const warmUntil = lastRequestAt === undefined ? undefined : last + LIFETIME_MS[ttl];
  const prices = model === undefined ? undefined : pricesAt(model, tokens);
  return {
    model: conversation.model,
    mode: agent.permissionMode(),
    tokens,
    limit: thresholds.isAutoCompactOn ? compactAt : thresholds.hardAt,
    pressure,
    isWarm: warmUntil !== undefined && warmUntil > now,
    ...(warmUntil === undefined ? {} : { warmUntil }),
    ...(prices === undefined
      ? {}
      : {
          next: {
            warm: (tokens * prices.cacheRead) / MILLION,
            cold: (tokens * (ttl === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m)) / MILLION,
          },
        }),
    ...(compacting === undefined ? {} : { compacting }),
    spent: accountTotal(conversation.account()).dollars,
  };
}

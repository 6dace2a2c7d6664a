import { findModel } from "@palimpsest/core";
import { billedTokens } from "../../replay/measures/recorded-bill.js";
import { playConversation } from "../../replay/play/play-conversation.js";
import { parsePolicies, PolicyError } from "../../replay/policies/parse-policies.js";
import type { Policy } from "../../replay/policies/policy.js";
import { openConversation } from "../../replay/rounds/open-conversation.js";
import type { RecordedConversation, RecordedRound } from "../../replay/rounds/recorded-round.js";
import { priceOf } from "../../simulator/core/pricing.js";
import type { WhatIfRequest } from "../contract.js";
import type { PlayedWhatIf, Task } from "./task.js";

/** Columns of the line at most. */
const MOST_COLUMNS = 1200;

/** The one policy that is asked for. Throws `PolicyError`. */
export function policyOf(
  { policy: text, lifetime }: WhatIfRequest,
  env: Readonly<Record<string, string | undefined>>,
): Policy {
  const isOurs = /^palimpsest(?:\(|$)/.test(text.trim());
  const [policy, second] = parsePolicies(isOurs ? withLifetime(text.trim(), lifetime) : text, env);
  if (policy === undefined || second !== undefined)
    throw new PolicyError("one policy is asked for at a time");
  const [usual = "auto"] = policy.ttls;
  if (isOurs || lifetime === undefined) return { ...policy, ttls: [usual] };
  if (!policy.ttls.includes(lifetime)) {
    throw new PolicyError(
      `${policy.name} does not let cache entries live ${lifetime === "1h" ? "an hour" : "five minutes"}`,
    );
  }
  return { ...policy, ttls: [lifetime] };
}

/** Our engine has a setting for it. */
function withLifetime(text: string, lifetime: WhatIfRequest["lifetime"]): string {
  if (lifetime === undefined) return text;
  return text.endsWith(")") ? `${text.slice(0, -1)};cacheTtl=${lifetime})` : `${text}(cacheTtl=${lifetime})`;
}

/** Plays a recorded conversation under a policy. Throws `RecordingError` and `PolicyError`. */
export async function playWhatIf(
  { file, request, env }: Extract<Task, { readonly kind: "what-if" }>,
  onProgress: (share: number) => void,
): Promise<PlayedWhatIf> {
  const policy = policyOf(request, env);
  const { conversation, responses, recordedCost } = noted(await openConversation(file));
  const { result } = await playConversation(conversation, {
    policies: [policy],
    series: true,
    ...(request.window === undefined ? {} : { window: request.window }),
    onProgress: (round, rounds) => onProgress(round / rounds),
  });
  const [played] = Object.values(result.policies);
  if (played === undefined) throw new TypeError("nothing was played");
  const series = thinned(played.series ?? []);
  return {
    cost: played.cost,
    fullCost: played.fullCost,
    recordedCost: recordedCost(),
    compactions: Object.values(played.compactions).reduce((sum, times) => sum + times, 0),
    blindEdits: played.blindEdits,
    edits: played.edits,
    recall: played.references === 0 ? null : played.recall,
    line: {
      response: series.map(({ turn }) => responses[turn] ?? ""),
      tokens: series.map(({ promptTokens }) => promptTokens),
    },
  };
}

/** The same conversation, of which is remembered what its answers are called and what they cost. */
export function noted(conversation: RecordedConversation): {
  readonly conversation: RecordedConversation;
  /** By turn. */
  readonly responses: readonly string[];
  readonly rounds: readonly Pick<RecordedRound, "compacted">[];
  /** Dollars; null where no answer with a known price tells what it used. */
  readonly recordedCost: () => number | null;
} {
  const responses: string[] = [];
  const rounds: Pick<RecordedRound, "compacted">[] = [];
  const costs: number[] = [];
  const note = ({ response, compacted }: RecordedRound): void => {
    responses.push(response.id);
    rounds.push(compacted === undefined ? {} : { compacted });
    const model = findModel(response.model);
    if (model !== undefined && response.usage !== undefined)
      costs.push(priceOf(model, billedTokens(response.usage)));
  };
  return {
    conversation: {
      overview: conversation.overview,
      async *rounds() {
        let turn = 0;
        for await (const round of conversation.rounds()) {
          if (turn === responses.length) note(round);
          turn += 1;
          yield round;
        }
      },
    },
    responses,
    rounds,
    recordedCost: () => (costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0)),
  };
}

/** Of a long series the largest request of each column. */
function thinned<Turn extends { readonly promptTokens: number }>(series: readonly Turn[]): readonly Turn[] {
  if (series.length <= MOST_COLUMNS) return series;
  return Array.from({ length: MOST_COLUMNS }, (_, column) => {
    const from = Math.floor((column * series.length) / MOST_COLUMNS);
    const to = Math.floor(((column + 1) * series.length) / MOST_COLUMNS);
    return series
      .slice(from, to)
      .reduce((largest, turn) => (turn.promptTokens > largest.promptTokens ? turn : largest));
  });
}

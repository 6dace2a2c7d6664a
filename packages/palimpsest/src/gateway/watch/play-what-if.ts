import { inflateRawSync } from "node:zlib";
import { findModel } from "@palimpsest/core";
import { billedTokens } from "../../replay/measures/recorded-bill.js";
import { playConversation } from "../../replay/play/play-conversation.js";
import { parsePolicies } from "../../replay/policies/parse-policies.js";
import { RecordingError } from "../../replay/readers/recording-error.js";
import { conversationIn } from "../../replay/rounds/open-conversation.js";
import { transcriptInMemory } from "../../replay/rounds/recording-file.js";
import { priceOf } from "../../simulator/core/pricing.js";
import type { WhatIfFigures } from "../receipt/what-if-figures.js";
import type { KeptTranscript } from "./what-if-contents.js";

/** Beside `as-recorded`, which says how far the replay is off. */
const POLICIES = "palimpsest,classic,as-recorded";
const AS_RECORDED = "as-recorded";

/** What a conversation adds to the figures. */
export type PlayedWhatIf = Omit<WhatIfFigures, "conversations" | "leftOut"> | { readonly leftOut: string };

function* inflated(transcript: KeptTranscript): Generator<Uint8Array> {
  for (const piece of transcript.pieces) yield inflateRawSync(piece);
  yield Buffer.from(transcript.rest);
}

/** Plays a conversation through other policies; of its turns those count of which it is known what they used. */
export async function playWhatIf(transcript: KeptTranscript): Promise<PlayedWhatIf> {
  try {
    const conversation = await conversationIn(transcriptInMemory(() => inflated(transcript)));
    if (conversation.overview.models.every(({ model }) => findModel(model) === undefined)) {
      return { leftOut: "no price known" };
    }
    const counted: boolean[] = [];
    let cost = 0;
    for await (const { response } of conversation.rounds()) {
      const { model, usage } = response;
      counted.push(usage !== undefined);
      const known = findModel(model);
      if (usage !== undefined && known !== undefined) cost += priceOf(known, billedTokens(usage));
    }
    const { result, fullCosts } = await playConversation(conversation, {
      policies: parsePolicies(POLICIES, {}),
    });
    const bill = result.policies[AS_RECORDED]?.recordedBill;
    const sum = (costs: readonly number[]): number =>
      costs.reduce((total, cost, turn) => total + (counted[turn] === true ? cost : 0), 0);
    return {
      policies: Object.fromEntries(
        Object.entries(fullCosts).flatMap(([name, costs]) =>
          name === AS_RECORDED ? [] : [[name, sum(costs)]],
        ),
      ),
      requests: counted.filter(Boolean).length,
      cost,
      simulated: bill?.simulated.cost ?? 0,
    };
  } catch (error) {
    if (error instanceof RecordingError && error.code === "no_messages")
      return { leftOut: "no whole answer" };
    return { leftOut: "cannot be replayed" };
  }
}

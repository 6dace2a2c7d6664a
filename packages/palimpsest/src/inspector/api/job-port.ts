import type { AdviceList, NeededLater, PolicyList, WhatIf, WhatIfRequest } from "../contract.js";
import type { OpenConversation } from "./conversations.js";

/** A conversation in a file, whose requests have numbers. */
interface NumberedConversation {
  readonly conversation: string;
  readonly file: string;
  /** The number of the request that this response answered. */
  readonly numberOf: (response: string) => number | undefined;
}

/** A conversation as jobs know it. */
export function numbered({ listed, path, index }: OpenConversation): NumberedConversation {
  const numbers = new Map(index.traced.requests.map(({ responseId, number }) => [responseId, number]));
  return { conversation: listed.id, file: path, numberOf: (response) => numbers.get(response) };
}

/** What takes longer than an answer: done in threads of their own, beside the server. */
export interface JobPort {
  /** Throws a `PalimpsestError` whose message says what is wrong with what was asked for. */
  startWhatIf(of: NumberedConversation, request: WhatIfRequest): WhatIf;
  whatIf(job: string): WhatIf | undefined;
  cancelWhatIf(job: string): WhatIf | undefined;
  /** Rejects with one sentence. */
  advice(files: readonly string[]): Promise<AdviceList>;
  /** By the number of the first request after a compaction. Rejects with one sentence. */
  neededLater(of: NumberedConversation): Promise<ReadonlyMap<number, NonNullable<NeededLater["items"]>>>;
  policies(): PolicyList;
}

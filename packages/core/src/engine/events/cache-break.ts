import type { QuerySource } from "../../messages/call/query-source.js";
import type { BreakReason } from "./break-reason.js";
import type { ProviderDiagnosis } from "./provider-diagnosis.js";

/** A prefix that was cached and was not read. */
export interface CacheBreak {
  readonly source: QuerySource;
  readonly callId?: string;
  /** When the answer came that showed it, in milliseconds. */
  readonly at: number;
  readonly model: string;
  /** What the last call left cached: its reads and writes, deletions since then taken off. */
  readonly expectedTokens: number;
  readonly readTokens: number;
  readonly lostTokens: number;
  /** Of what was expected. */
  readonly lostShare: number;
  /** Dollars more than reading the lost tokens would have cost; null where prices are not known. */
  readonly cost: number | null;
  /** At least one; changes of the request in the order of the prompt. */
  readonly reasons: readonly BreakReason[];
  /** Time between the start of this request and that of the last one that used the prefix. */
  readonly gapMs: number;
  /** The provider's verdict, and whether it says the same; neither where it was not asked or could not tell. */
  readonly diagnosis?: ProviderDiagnosis;
  readonly agrees?: boolean;
  /** Under which id a text for comparing was handed to the store. */
  readonly diffId?: string;
}

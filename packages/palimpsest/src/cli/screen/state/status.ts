import type { Pressure } from "@palimpsest/core";

/** What the line says that is always in sight. */
export interface Status {
  readonly model: string;
  readonly mode: string;
  /** Tokens in the context, and where it is compacted. */
  readonly tokens: number;
  readonly limit: number;
  readonly pressure: Pressure;
  /** When the cache goes cold, in milliseconds since the epoch; absent where nothing is cached. */
  readonly warmUntil?: number;
  readonly isWarm: boolean;
  /** What the next turn costs before it is answered, in dollars. */
  readonly next?: { readonly warm: number; readonly cold: number };
  /** What compacting now costs, and how many tokens it would drop. */
  readonly compacting?: { readonly dollars?: number; readonly dropped: number };
  /** What the conversation has cost. */
  readonly spent: number;
}

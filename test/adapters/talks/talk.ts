import type { AdapterOptions } from "@palimpsest/core/ai-sdk";

/** Where a talk takes place, and with what. */
export interface TalkPlace {
  readonly fetch: (url: unknown, init?: RequestInit) => Promise<Response>;
  readonly model: string;
  readonly system: string;
  readonly read: (input: unknown) => string;
}

/** Says something after a history, which is JSON, and gives the history then. */
type Say = (history: readonly unknown[], prompt: string) => Promise<readonly unknown[]>;

/** A framework with its adapter, made once. */
export type CreateTalk = (place: TalkPlace, options: AdapterOptions) => Say;

export const schema = { type: "object" as const, properties: { path: { type: "string" as const } } };
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

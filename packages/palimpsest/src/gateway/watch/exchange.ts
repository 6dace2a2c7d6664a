import type { ExchangeEnd } from "../receipt/exchange-record.js";

/** Names in small letters. Of a header that came twice, the first. */
export type ReadHeaders = Readonly<Record<string, string>>;

/** What is known when a request comes. No credential is in it. */
export interface ExchangeHead {
  readonly at: number;
  readonly tenant: string;
  readonly protocol: "anthropic" | "openai";
  readonly method: string;
  /** As it goes upstream, without the upstream's own prefix. */
  readonly path: string;
  readonly headers: ReadHeaders;
  readonly isSubscription: boolean;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: ReadHeaders;
}

/** All of an exchange, once it is over: what a reader works on. */
export interface Exchange extends ExchangeHead {
  readonly milliseconds: number;
  readonly end: ExchangeEnd;
  readonly isIdentical: boolean;
  readonly answer?: AnswerHead;
  /** The bytes of the bodies as they went over the wire; absent where they are more than is kept. */
  readonly requestBody?: Uint8Array;
  readonly answerBody?: Uint8Array;
}

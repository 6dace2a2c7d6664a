import type { Mode } from "../http/mode.js";
import type { ExchangeRecord } from "../receipt/exchange-record.js";
import type { DatedWhatIf } from "../receipt/receipt-json.js";
import type { Receipt } from "../receipt/receipt.js";

/** At the end nobody waits longer to be told what other policies would have cost: a person, or who has asked a server to stop. */
export const WHAT_IF_MS = { ofCommand: 20_000, ofServer: 5000 } as const;

/** What a proxy needs to know to begin. Plain data. */
export interface ProxySettings {
  readonly upstream: string;
  readonly upstreamOpenai: string;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly mode: Mode;
  readonly tokens: readonly string[];
  /** That of the lock file. */
  readonly controlToken: string;
  /** What went through before this process. */
  readonly receipt: Receipt;
  /** Where a proxy whose launcher was killed leaves the receipt. */
  readonly receiptFile?: string;
  /** Where conversations are recorded. */
  readonly recordFolder?: string;
}

/** To the proxy. */
export type ToProxy =
  | { readonly kind: "start"; readonly settings: ProxySettings }
  /** The command of the launcher runs under this id: a proxy without a launcher serves it to its end. */
  | { readonly kind: "serving"; readonly pid: number }
  /** Serve nobody any more, say what there is to say, then `drained`. */
  | { readonly kind: "drain" }
  /** Find out what other policies would have cost, within this time, and say it. */
  | { readonly kind: "what-if"; readonly milliseconds: number };

/** From the proxy. */
export type FromProxy =
  /** It is loaded, and waits for `start`. */
  | { readonly kind: "loaded" }
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "began" }
  | { readonly kind: "record"; readonly record: ExchangeRecord }
  | { readonly kind: "passed" }
  | { readonly kind: "mode"; readonly mode: Mode }
  | { readonly kind: "drained" }
  | { readonly kind: "what-if"; readonly whatIf: DatedWhatIf | undefined };

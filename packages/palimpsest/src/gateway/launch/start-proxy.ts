import { proxyFor } from "../../providers/proxy-for.js";
import { createGateway } from "../http/gateway.js";
import type { Mode } from "../http/mode.js";
import { startGatewayServer, type GatewayServer } from "../http/node-server.js";
import { tokensOf } from "../http/route.js";
import { createUpstream } from "../http/upstream.js";
import type { ExchangeRecord } from "../receipt/exchange-record.js";
import { receiptDocument, type DatedWhatIf, type ReceiptDocument } from "../receipt/receipt-json.js";
import { addExchange, addUnwatched } from "../receipt/receipt.js";
import { createWatcher, type ExchangeReader } from "../watch/watcher.js";
import type { ProxySettings } from "./proxy-messages.js";

export interface ProxyParts {
  readonly reader: ExchangeReader;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now?: () => number;
  /** Told of what happens. */
  readonly onBegin?: () => void;
  readonly onRecord?: (record: ExchangeRecord) => void;
  readonly onPass?: () => void;
  readonly onMode?: (mode: Mode) => void;
}

export interface Proxy {
  readonly port: number;
  readonly document: () => ReceiptDocument;
  /** What other policies would have cost so far; undefined where nobody knows. Later documents have it too. */
  whatIf(milliseconds?: number): Promise<DatedWhatIf | undefined>;
  /** Resolves once everything that is over was read and told. */
  settled(): Promise<void>;
  /** Serves nobody any more: drops every connection, and resolves once what had come by then was read and told. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** A gateway on its socket, with its upstreams and what watches. Throws `ListenError`, or a sentence. */
export async function startProxy(settings: ProxySettings, parts: ProxyParts): Promise<Proxy> {
  const { reader, env, now = Date.now } = parts;
  let { receipt, mode } = settings;
  let whatIf: DatedWhatIf | undefined;
  let asking: Promise<void> | undefined;
  const document = (): ReceiptDocument => receiptDocument(receipt, mode, whatIf);
  /** Once at a time, however many ask. */
  const askWhatIf = (milliseconds?: number): Promise<void> => {
    asking ??= (async () => {
      await watcher.settled();
      const at = now();
      const figures = await reader.whatIf(milliseconds);
      if (figures !== undefined) whatIf = { at, figures };
    })().finally(() => (asking = undefined));
    return asking;
  };
  const watcher = createWatcher({
    reader,
    now,
    onPass() {
      receipt = addUnwatched(receipt);
      parts.onPass?.();
    },
    onBegin: () => parts.onBegin?.(),
    onRecord(record) {
      receipt = addExchange(receipt, record);
      parts.onRecord?.(record);
    },
  });
  const upstreamOf = (address: string) => createUpstream(new URL(address), proxyFor(address, env));
  const upstreams = {
    anthropic: upstreamOf(settings.upstream),
    openai: upstreamOf(settings.upstreamOpenai),
  };
  const gateway = createGateway({
    upstreams,
    watcher,
    now,
    tokens: tokensOf(settings.tokens),
    control: {
      token: settings.controlToken,
      mode: () => mode,
      setMode(wanted) {
        mode = wanted;
        parts.onMode?.(wanted);
      },
      async stats() {
        await watcher.settled();
        return document();
      },
      async whatIf() {
        await askWhatIf();
        return document();
      },
    },
  });
  const server: GatewayServer = await startGatewayServer({
    gateway,
    port: settings.port,
    host: settings.host,
  });
  return {
    port: server.port,
    document,
    async whatIf(milliseconds) {
      await askWhatIf(milliseconds);
      return whatIf;
    },
    settled: () => watcher.settled(),
    async drain() {
      await server.close();
      await watcher.ended();
    },
    async close() {
      await server.close();
      for (const upstream of Object.values(upstreams)) upstream.close();
      await watcher.settled();
      reader.close();
    },
  };
}

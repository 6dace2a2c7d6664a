import { startProxy, type Proxy, type ProxyParts } from "../gateway/launch/start-proxy.js";
import { emptyReceipt } from "../gateway/receipt/receipt.js";
import type { WireLab } from "./wire-lab.js";

/** A gateway before a lab's upstream, in this process. */
export const startWireProxy = (
  { upstreamUrl }: WireLab,
  mode: "observe" | "off",
  parts: Pick<ProxyParts, "reader" | "onRecord">,
): Promise<Proxy> =>
  startProxy(
    {
      upstream: upstreamUrl,
      upstreamOpenai: upstreamUrl,
      host: "127.0.0.1",
      port: 0,
      mode,
      tokens: [],
      controlToken: "none",
      receipt: emptyReceipt(0),
    },
    { ...parts, env: {} },
  );

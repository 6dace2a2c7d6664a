import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../bench/random.js";
import { createWireLab, type WireLab } from "../soak/wire-lab.js";
import { makeWireScript } from "../soak/wire-script.js";
import { startProxy, type Proxy } from "./launch/start-proxy.js";
import { emptyReceipt } from "./receipt/receipt.js";
import { createExchangeReader } from "./watch/exchange-reader.js";

describe.each(["observe", "off"] as const)("in mode %s both sides see each other's bytes", (mode) => {
  let lab: WireLab;
  let proxy: Proxy;
  beforeAll(async () => {
    lab = await createWireLab();
    proxy = await startProxy(
      {
        upstream: lab.upstreamUrl,
        upstreamOpenai: lab.upstreamUrl,
        host: "127.0.0.1",
        port: 0,
        mode,
        tokens: [],
        controlToken: "none",
        receipt: emptyReceipt(0),
      },
      { reader: createExchangeReader(), env: {} },
    );
  });
  afterAll(async () => {
    await proxy.close();
    await lab.close();
  });

  it("property: whatever is sent, however it is cut, and whoever breaks off", async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        await lab.play(makeWireScript(createRandom(seed), `e${number++}`, 100_000), proxy.port);
      }),
      { numRuns: 1000 },
    );
    const { requests, unwatched } = proxy.document();
    expect(requests).toBeGreaterThan(0);
    expect(unwatched).toBe(mode === "off" ? requests : 0);
  });
});

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../bench/random.js";
import { createWireLab, type WireLab } from "../soak/wire-lab.js";
import { startWireProxy } from "../soak/wire-proxy.js";
import { makeWireScript } from "../soak/wire-script.js";
import type { Proxy } from "./launch/start-proxy.js";
import { createExchangeReader } from "./watch/exchange-reader.js";

describe.each(["observe", "off"] as const)("in mode %s both sides see each other's bytes", (mode) => {
  let lab: WireLab;
  let proxy: Proxy;
  beforeAll(async () => {
    lab = await createWireLab();
    proxy = await startWireProxy(lab, mode, { reader: createExchangeReader() });
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
    // However an exchange went: none is waited for without end.
    await proxy.drain();
    const { requests, unwatched } = proxy.document();
    expect(requests).toBeGreaterThan(0);
    expect(unwatched).toBe(mode === "off" ? requests : 0);
  });
});

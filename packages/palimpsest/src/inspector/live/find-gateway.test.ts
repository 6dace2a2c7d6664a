import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findGateway } from "./find-gateway.js";

it.each([
  ["here", /is not an address/],
  ["http://127.0.0.1:1/anthropic", /No gateway of this machine answers/],
])("%s: one sentence says why there is no gateway", async (address, message) => {
  const folder = mkdtempSync(join(tmpdir(), "inspector-gateway-"));
  expect(await findGateway(address, folder)).toEqual({
    kind: "failed",
    message: expect.stringMatching(message) as string,
  });
});

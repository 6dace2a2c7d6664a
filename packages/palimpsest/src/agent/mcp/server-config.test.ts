import { expect, it } from "vitest";
import { secretsOf } from "./server-config.js";

it("knows what of a configuration must not be repeated", () => {
  expect(
    secretsOf({
      name: "s",
      transport: {
        kind: "stdio",
        command: "npx",
        args: ["-y", "server", "--api-key", "key-1", "--token=key-2", "--port", "80"],
        env: { GITHUB_TOKEN: "key-3", NODE_ENV: "production" },
      },
    }),
  ).toEqual(["key-3", "key-1", "key-2"]);
  const web = secretsOf({
    name: "w",
    transport: {
      kind: "http",
      url: "https://user:pass@example.com/mcp/abcdefghijklmnop1234?t=query-key",
      headers: { "x-anything": "Bearer header-key" },
    },
  });
  for (const secret of ["pass", "query-key", "abcdefghijklmnop1234", "Bearer header-key", "header-key"]) {
    expect(web).toContain(secret);
  }
  expect(web).not.toContain("mcp");
  expect(secretsOf({ name: "n", transport: { kind: "http", url: "not an address" } })).toEqual([
    "not an address",
  ]);
});

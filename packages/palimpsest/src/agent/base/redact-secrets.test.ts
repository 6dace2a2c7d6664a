import { expect, it } from "vitest";
import { redactSecrets } from "./redact-secrets.js";

it("values of variables that are named as secrets, and common keys, do not get through", () => {
  const env = {
    ANTHROPIC_API_KEY: "the-whole-value",
    KEY_OF_MINE: "the-whole-value-and-more",
    MY_TOKENS: "abcdefgh",
    SHORT_KEY: "no",
    EDITOR: "some-editor",
    GONE_SECRET: undefined,
  };
  const text = "the-whole-value-and-more the-whole-value abcdefgh no some-editor";
  expect(redactSecrets(text, env)).toBe("[redacted] [redacted] [redacted] no some-editor");
  expect(redactSecrets("curl -H 'Authorization: Bearer abc.def.ghi' sk-ant-api03-xyz_123456", {})).toBe(
    "curl -H '[redacted]' [redacted]",
  );
  expect(redactSecrets("task-list-of-the-bearer of the risk-assessment", {})).toBe(
    "task-list-of-the-bearer of the risk-assessment",
  );
});

import { findModel } from "@palimpsest/core";
import { expect, it } from "vitest";
import { modelNamed } from "./model-name.js";

it.each(["opus", "sonnet", "haiku", "Opus"])("%s is the newest model of its line", (name) => {
  const model = modelNamed(name);
  expect(model).toMatch(new RegExp(`^claude-${name.toLowerCase()}-`));
  expect(findModel(model)).toBeDefined();
});

it("leaves other names as they are", () => {
  expect(modelNamed(" claude-opus-4-8 ")).toBe("claude-opus-4-8");
  expect(modelNamed("gpt-oss")).toBe("gpt-oss");
});

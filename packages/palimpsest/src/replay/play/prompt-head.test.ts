import { findModel, type Model } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import {
  call,
  madeUpConversation,
  result,
  text,
  words,
  type MadeUpRound,
} from "../testing/made-up-rounds.js";
import { extractReferences } from "../measures/references.js";
import { promptHead } from "./prompt-head.js";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";

const counter = createSharedCounter();
function modelOf(name: string): Model {
  const model = findModel(name);
  if (model === undefined) throw new Error("the model is in the table");
  return model;
}
const headOf = async (rounds: readonly MadeUpRound[], name = "claude-opus-5") =>
  promptHead(await madeUpConversation(rounds), { model: modelOf(name), counter });

const usage = (input: number) => ({ input_tokens: input, output_tokens: 1 });

describe("recorded", () => {
  it("is what the first reported request held beside its messages", async () => {
    const rounds = [{ in: words(100), out: [call("t1")], usage: usage(30_000) }];
    const head = await headOf(rounds);
    const longer = await headOf([{ ...rounds[0], in: words(2000), out: [call("t1")], usage: usage(30_000) }]);
    expect(head.from).toBe("recorded");
    expect(head.tokens).toBeGreaterThan(29_000);
    expect(head.tokens).toBeLessThan(30_000);
    expect(longer.tokens).toBeLessThan(head.tokens - 5000);
  });

  it("takes off all that stood before a usage that comes late", async () => {
    const first = { in: words(500), out: [call("t1")] };
    const late = await headOf([
      first,
      { in: [result("t1", words(1000))], out: [text("x")], usage: usage(40_000) },
    ]);
    const early = await headOf([{ ...first, usage: usage(40_000) }]);
    expect(late.from).toBe("recorded");
    expect(late.tokens).toBeLessThan(early.tokens - 2000);
  });

  it("is never less than a small one", async () => {
    const { tokens, from } = await headOf([{ in: words(5000), out: [text("x")], usage: usage(10) }]);
    expect(from).toBe("recorded");
    expect(tokens).toBeGreaterThan(900);
    expect(tokens).toBeLessThan(1200);
  });
});

describe("assumed", () => {
  it.each(["claude-opus-5", "claude-opus-4-5", "claude-haiku-4-5"])(
    "%s: is of a usual size",
    async (name) => {
      const head = await headOf([{ in: "x", out: [call("t1")] }], name);
      expect(head.from).toBe("assumed");
      expect(Math.abs(head.tokens - 22_000)).toBeLessThan(500);
      expect(head.tools.map((tool) => tool.name)).toEqual(["Read"]);
    },
  );

  it("declares no tools where none was called", async () => {
    const head = await headOf([{ in: "x", out: [text("y")] }]);
    expect(head.tools).toEqual([]);
    expect(Math.abs(head.tokens - 22_000)).toBeLessThan(500);
  });

  it("names nothing that could be taken for something remembered", async () => {
    const head = await headOf([{ in: "x", out: [call("t1")] }]);
    expect(extractReferences([head.system, ...head.tools.map((tool) => tool.description)])).toEqual([]);
  });
});

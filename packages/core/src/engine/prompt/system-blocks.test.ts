import { expect, it } from "vitest";
import type { ResolvedSection } from "./sections.js";
import { createSystemLayouter } from "./system-blocks.js";

const sections: readonly ResolvedSection[] = [
  { name: "identity", text: "who", part: "static" },
  { name: "rules", text: "rules", part: "static" },
  { name: "env", text: "linux", part: "dynamic" },
];

it("sends up to two blocks and says where the static part ends", () => {
  const layout = createSystemLayouter().layOut({ sections });
  expect(layout.blocks.map(({ text }) => text)).toEqual(["who\n\nrules", "linux"]);
  expect(layout).toMatchObject({ staticEnd: 0, end: 1 });
  const dynamic = createSystemLayouter().layOut({ sections: sections.slice(2) });
  expect(dynamic).toEqual({ blocks: [{ type: "text", text: "linux" }], end: 0 });
});

it("gives blocks that did not change as the same objects", () => {
  const layouter = createSystemLayouter();
  const first = layouter.layOut({ sections });
  const changed = sections.map((each) => (each.name === "env" ? { ...each, text: "darwin" } : each));
  const second = layouter.layOut({ sections: changed });
  expect(second.blocks[0]).toBe(first.blocks[0]);
  expect(second.blocks[1]?.text).toBe("darwin");
});

it("a prompt of the caller's replaces everything; an empty one is no block", () => {
  const layouter = createSystemLayouter();
  expect(layouter.layOut({ custom: "mine" })).toEqual({ blocks: [{ type: "text", text: "mine" }], end: 0 });
  expect(layouter.layOut({ custom: " " })).toEqual({ blocks: [] });
  expect(layouter.layOut({ sections: [] })).toEqual({ blocks: [] });
});

import { expect, it } from "vitest";
import type { ResolvedSection } from "./sections.js";
import { createSystemLayouter } from "./system-blocks.js";

const sections: readonly ResolvedSection[] = [
  { name: "identity", text: "who", part: "static" },
  { name: "rules", text: "rules", part: "static" },
  { name: "env", text: "linux", part: "dynamic" },
];

it("sends up to four blocks and says where the static part ends", () => {
  const layouter = createSystemLayouter();
  const layout = layouter.layOut({ attribution: "from: x", productPrefix: "You are P.", sections });
  expect(layout.blocks.map(({ text }) => text)).toEqual(["from: x", "You are P.", "who\n\nrules", "linux"]);
  expect(layout).toMatchObject({ staticEnd: 2, end: 3 });
});

it("holds the attribution, and gives blocks that did not change as the same objects", () => {
  const layouter = createSystemLayouter();
  const first = layouter.layOut({ attribution: "request 1", sections });
  const changed = sections.map((each) => (each.name === "env" ? { ...each, text: "darwin" } : each));
  const second = layouter.layOut({ attribution: "request 2", sections: changed });
  expect(second.blocks[0]).toBe(first.blocks[0]);
  expect(second.blocks[1]).toBe(first.blocks[1]);
  expect(second.blocks[2]?.text).toBe("darwin");
  layouter.reset();
  expect(layouter.layOut({ attribution: "request 3", sections }).blocks[0]?.text).toBe("request 3");
});

it("a prompt of the caller's replaces everything; an empty one is no block", () => {
  const layouter = createSystemLayouter();
  const custom = layouter.layOut({ attribution: "from: x", productPrefix: "You are P.", custom: "mine" });
  expect(custom).toEqual({ blocks: [{ type: "text", text: "mine" }], end: 0 });
  expect(layouter.layOut({ custom: " " })).toEqual({ blocks: [] });
  expect(layouter.layOut({ sections: [] })).toMatchObject({ blocks: [{ text: "from: x" }] });
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { createCompactableTools } from "@palimpsest/core";
import { announce } from "../../packages/core/src/engine/restore/announce.js";
import { chooseFiles } from "../../packages/core/src/engine/restore/choose-files.js";
import { createMemoryReadState } from "../../packages/core/src/engine/tools/read-state.js";
import { brokenMessages } from "./broken-messages.js";
import { checkProperty } from "../../packages/palimpsest/src/testing/check-property.js";

const tools = createCompactableTools();
const path = fc.oneof(
  fc.constantFrom("a.md", "/w/a.md", "/w/./a.md", "C:\\a", "\\\\x", "..", "/", "", "\0", "__proto__"),
  fc.string(),
);

it("whatever the kept messages and the paths, files are chosen and things announced", () => {
  const list = fc.constantFrom([], [{ name: "a", description: "b" }]);
  const scenario = fc.tuple(brokenMessages, fc.array(path, { maxLength: 8 }), list);
  checkProperty("restore", scenario, ([keptMessages, paths, deferredTools]) => {
    const state = createMemoryReadState();
    for (const path of paths) state.remember(path, { timestamp: 1, mtime: 1 });
    const before = JSON.stringify(keptMessages);
    for (const variant of ["full", "from", "up_to"] as const) {
      const { candidates, kept, skipped } = chooseFiles(state.snapshot(), {
        keptMessages,
        variant,
        tools,
        exclude: { planPaths: ["/plan"], ownPaths: [""] },
        workingDirectory: "/w",
      });
      const known = new Set(paths);
      expect(
        [...candidates.map(({ read }) => read), ...kept, ...skipped].every((item) =>
          known.has(item.path ?? ""),
        ),
      ).toBe(true);
      expect(new Set(candidates).size).toBe(candidates.length);
    }
    announce({ deferredTools }, keptMessages);
    expect(JSON.stringify(keptMessages)).toBe(before);
  });
});

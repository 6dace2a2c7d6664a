import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { checkFaults } from "../bench/faults/check-faults.mjs";
import { faults } from "../bench/faults/index.mjs";

it("every planted fault has its place in the code, and every invariant of ARCHITECTURE.md a fault (bench/faults)", async () => {
  expect(await checkFaults(fileURLToPath(new URL("..", import.meta.url)), faults)).toEqual([]);
  expect(faults.length).toBeGreaterThanOrEqual(40);
});

it("a fault whose place has moved, or that breaks nothing that is listed, is told of", async () => {
  const [fault] = faults;
  if (fault === undefined) throw new Error("there are no faults");
  const moved = { ...fault, edits: [{ file: "README.md", from: "no such words anywhere", to: "" }] };
  const unlisted = { ...fault, name: "another", invariant: "nothing of the kind" };
  const wrong = await checkFaults(fileURLToPath(new URL("..", import.meta.url)), [moved, unlisted]);
  expect(wrong).toContain(`${fault.name}: README.md has 0 times, instead of once: no such words anywhere`);
  expect(wrong).toContain('another breaks "nothing of the kind", which ARCHITECTURE.md does not list');
});

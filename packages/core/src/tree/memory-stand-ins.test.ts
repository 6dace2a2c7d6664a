import { describe, expect, it } from "vitest";
import { standInStoreContract } from "../testing/stand-in-store-contract.js";
import { createMemoryStandIns } from "./memory-stand-ins.js";

describe("stand-ins in memory", () => {
  for (const requirement of standInStoreContract) {
    it(requirement.name, () => requirement.run(() => createMemoryStandIns()));
  }

  it("drops what was longest not asked for, its newest parts first, and tells it", async () => {
    const dropped: number[] = [];
    const store = createMemoryStandIns({
      maxCharacters: 100,
      onDropped: ({ entries }) => dropped.push(entries),
    });
    const value = "x".repeat(20);
    await store.insert("old", value);
    await store.insert("old2", value, "old");
    await store.insert("new", value);
    await store.insert("new2", value, "new");
    expect(dropped).toEqual([]);
    await store.find(["old2"]);
    await store.insert("newest", value);
    expect(dropped).toEqual([1]);
    expect(await store.find(["new2"])).toBeUndefined();
    expect(await store.find(["new"])).toBeDefined();
    expect((await store.find(["old2"]))?.values.length).toBe(2);
  });
});

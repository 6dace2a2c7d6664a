import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentMap } from "./recent-map.js";

describe("a map in the order of use", () => {
  it("is what a plain map is whose keys are deleted before they are set", () => {
    const key = fc.integer({ min: 0, max: 6 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant("set" as const), key, value: fc.integer() }),
      fc.record({ kind: fc.constant("delete" as const), key }),
      fc.record({ kind: fc.constant("drop oldest" as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const map = new RecentMap<number, number>();
        const plain = new Map<number, number>();
        for (const one of steps) {
          if (one.kind === "set") {
            map.set(one.key, one.value);
            plain.delete(one.key);
            plain.set(one.key, one.value);
          } else {
            const gone = one.kind === "delete" ? one.key : map.oldest()?.[0];
            if (gone === undefined) continue;
            map.delete(gone);
            plain.delete(gone);
          }
          expect(map.size).toBe(plain.size);
          expect(map.oldest()).toEqual([...plain][0]);
          expect([...map.newestFirst()]).toEqual([...plain.values()].toReversed());
          for (let each = 0; each <= 6; each += 1) {
            expect(map.get(each)).toBe(plain.get(each));
            expect(map.has(each)).toBe(plain.has(each));
          }
        }
      }),
    );
  });
});

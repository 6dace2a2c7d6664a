import { expect, it } from "vitest";
import { rangeAskedFor } from "./line-range.js";

it.each<[unknown, readonly [number, number] | undefined]>([
  [{ path: "/a", view_range: [1, 2] }, [1, 2]],
  [{ path: "/a", view_range: ["1", "2", "3"] }, [1, 2]],
  [{ path: "/a", view_range: [7, -1] }, undefined],
  [{ path: "/a", offset: 3, limit: 2 }, [3, 4]],
  [{ path: "/a", limit: 2 }, [1, 2]],
  [{ path: "/a", offset: -3, limit: 2 }, [1, 2]],
  [{ path: "/a", offset: 3, limit: 0 }, undefined],
  [{ path: "/a", offset: 3 }, undefined],
  [{ path: "/a", start_line: 4, end_line: 9 }, [4, 9]],
  [{ path: "/a", start_line: 9, end_line: 4 }, undefined],
  [{ path: "/a", offset: 1.5, limit: 3 }, undefined],
  [{ path: "/a", offset: { valueOf: 3 }, limit: [2] }, undefined],
  [{ path: "/a", offset: 1, limit: Infinity }, undefined],
  [{ path: "/a" }, undefined],
  [null, undefined],
])("the lines that %j asks for", (input, range) => {
  const [first, last] = range ?? [];
  expect(rangeAskedFor(input)).toEqual(range === undefined ? undefined : { first, last });
});

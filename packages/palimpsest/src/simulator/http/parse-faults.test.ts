import { describe, expect, it } from "vitest";
import { parseFaults, readFaults } from "./parse-faults.js";

describe("the grammar of faults", () => {
  it("reads every fault and every span", () => {
    expect(
      parseFaults("429@3, 429@4:1500ms,529@5-7,cut@9:4,cut@10,error@11:2,error@12:0:api_error,"),
    ).toEqual({
      kind: "rules",
      rules: [
        { fault: { fault: "429", retryAfterSeconds: 1 }, span: { from: 3, to: 3 } },
        { fault: { fault: "429", retryAfterSeconds: 2 }, span: { from: 4, to: 4 } },
        { fault: { fault: "529" }, span: { from: 5, to: 7 } },
        { fault: { fault: "cut", events: 4 }, span: { from: 9, to: 9 } },
        { fault: { fault: "cut", events: 0 }, span: { from: 10, to: 10 } },
        { fault: { fault: "error", events: 2, type: "overloaded_error" }, span: { from: 11, to: 11 } },
        { fault: { fault: "error", events: 0, type: "api_error" }, span: { from: 12, to: 12 } },
      ],
    });
    expect(parseFaults("slow@12-:50ms,delay@+2:1.5s,500@14,401@1,413@2")).toEqual({
      kind: "rules",
      rules: [
        { fault: { fault: "slow", milliseconds: 50 }, span: { from: 12, to: Number.POSITIVE_INFINITY } },
        { fault: { fault: "delay", milliseconds: 1500 }, span: { next: 2 } },
        { fault: { fault: "500" }, span: { from: 14, to: 14 } },
        { fault: { fault: "401" }, span: { from: 1, to: 1 } },
        { fault: { fault: "413" }, span: { from: 2, to: 2 } },
      ],
    });
    expect(parseFaults("")).toEqual({ kind: "rules", rules: [] });
  });

  it.each([
    ["429", '"429" is not a fault: it is written FAULT@WHEN or FAULT@WHEN:VALUE, like 429@3'],
    ["418@3", '"418@3" is not a fault: "418" is not one of 401, 413, 429, 500, 529, cut, error, slow, delay'],
    ["529@0", '"529@0" has no such request: "0" is not a number, a range like 5-7, or +2'],
    ["529@7-5", '"529@7-5" has no such request: "7-5" is not a number, a range like 5-7, or +2'],
    ["529@+0", '"529@+0" has no such request: "+0" is not a number, a range like 5-7, or +2'],
    ["529@1:2", '"529@1:2" has a value, but 529 takes none'],
    ["cut@1:2:3", '"cut@1:2:3" has 2 values, but cut takes 1 at most'],
    ["cut@1:x", '"cut@1:x" has no number of events: "x" is not a whole number'],
    ["slow@1", '"slow@1" lacks a time: it is written slow@1:50ms'],
    ["slow@1:50", '"slow@1:50" has no time: "50" is not a time up to an hour like 50ms, 2s or 1m'],
    ["delay@1:61m", '"delay@1:61m" has no time: "61m" is not a time up to an hour like 50ms, 2s or 1m'],
    [
      "error@1:1:Bad Type",
      '"error@1:1:Bad Type" has no error type: "Bad Type" is not a name like overloaded_error',
    ],
  ])("%s is refused", (text, problem) => {
    expect(parseFaults(text)).toEqual({ kind: "problem", problem });
  });

  it("reads the same from JSON", () => {
    const rules = [
      { fault: "429", at: 3 },
      { fault: "cut", at: "9", events: 4 },
      { fault: "error", at: "11-12", events: 2 },
      { fault: "slow", at: "+1", milliseconds: 50 },
    ];
    expect(readFaults(rules)).toEqual(parseFaults("429@3,cut@9:4,error@11-12:2,slow@+1:50ms"));
    expect(readFaults("529@1")).toEqual(parseFaults("529@1"));
  });

  it.each([
    [undefined],
    [{}],
    [[null]],
    [[{ fault: "429" }]],
    [[{ fault: "nope", at: 1 }]],
    [[{ fault: "cut", at: 1.5 }]],
    [[{ fault: "cut", at: 1, events: 1.5 }]],
    [[{ fault: "slow", at: 1 }]],
    [[{ fault: "delay", at: 1, milliseconds: 1e12 }]],
    [[{ fault: "error", at: 1, type: "\u001b" }]],
    [[{ fault: "429", at: 1, retryAfterSeconds: -1 }]],
    [Array.from({ length: 1001 }, () => ({ fault: "500", at: 1 }))],
  ])("refuses %j", (value) => {
    expect(readFaults(value)).toMatchObject({ kind: "problem" });
  });
});

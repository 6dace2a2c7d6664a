import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addEvidence,
  addRequest,
  gapBounds,
  gapsLongerThan,
  noEvidence,
  requestsSeen,
  weighEvidence,
} from "./gap-evidence.js";
import { attendedPrior, unattendedPrior } from "./gap-prior.js";
import { MINUTE, toConversation, toRequest } from "./testing/spaced-requests.js";

const numbers = fc.tuple(fc.nat(), fc.nat({ max: 500_000 }), fc.nat({ max: 60_000 }));
const request = numbers.map(toRequest);
const conversation = fc.array(numbers, { maxLength: 60 }).map(toConversation);

describe("evidence of gaps", () => {
  it("has a bucket for every gap, and the lifetimes between two of them", () => {
    expect(gapBounds).toEqual(gapBounds.toSorted((a, b) => a - b));
    expect(gapBounds).toContain(5 * MINUTE);
    expect(gapBounds).toContain(60 * MINUTE);
    for (const evidence of [noEvidence, attendedPrior, unattendedPrior])
      expect(evidence.gaps).toHaveLength(gapBounds.length + 1);
  });

  it("sums up requests by the gap before them", () => {
    let evidence = addRequest(noEvidence, { prefixTokens: 10, newTokens: 5 });
    evidence = addRequest(evidence, { gap: 5 * MINUTE, prefixTokens: 15, newTokens: 2 });
    evidence = addRequest(evidence, { gap: 5 * MINUTE - 1, prefixTokens: 17, newTokens: 3 });
    expect(evidence).toMatchObject({ conversations: 1, firstTokens: 15 });
    const warm = gapBounds.indexOf(5 * MINUTE);
    expect(evidence.gaps[warm]).toEqual({ count: 1, prefixTokens: 17, newTokens: 3 });
    expect(evidence.gaps[warm + 1]).toEqual({ count: 1, prefixTokens: 15, newTokens: 2 });
    expect(requestsSeen(evidence)).toBe(3);
  });

  it("takes figures that make no sense as 0", () => {
    const evidence = addRequest(noEvidence, { gap: Number.NaN, prefixTokens: -5, newTokens: Infinity });
    expect(evidence.gaps[0]).toEqual({ count: 1, prefixTokens: 0, newTokens: 0 });
    expect(addRequest(noEvidence, { gap: -1000, prefixTokens: 1, newTokens: 1 }).gaps[0]?.count).toBe(1);
  });

  it("adds and weighs", () => {
    fc.assert(
      fc.property(conversation, conversation, (one, other) => {
        const of = (requests: typeof one) => requests.reduce(addRequest, noEvidence);
        expect(addEvidence(of(one), of(other))).toEqual(other.reduce(addRequest, of(one)));
        expect(weighEvidence(of(one), 2)).toEqual(addEvidence(of(one), of(one)));
        expect(requestsSeen(weighEvidence(of(one), 0.5))).toBeCloseTo(one.length / 2);
      }),
    );
  });

  it("knows how many gaps were longer: never more for a longer time, all for none, the ends in any case", () => {
    fc.assert(
      fc.property(fc.array(request), fc.nat(2e8), fc.nat(2e8), (requests, a, b) => {
        const evidence = requests.reduce(addRequest, { ...noEvidence, conversations: 1 });
        const [short, long] = [Math.min(a, b), Math.max(a, b)];
        expect(gapsLongerThan(evidence, short)).toBeGreaterThanOrEqual(gapsLongerThan(evidence, long));
        expect(gapsLongerThan(evidence, long)).toBeGreaterThanOrEqual(1);
        expect(gapsLongerThan(evidence, 0)).toBe(requests.length + 1);
        for (const bound of gapBounds) {
          const longer = requests.filter(({ gap }) => gap >= bound).length;
          expect(gapsLongerThan(evidence, bound)).toBe(longer + 1);
        }
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemLast } from "./system-last.js";

interface Item {
  readonly isSystem: boolean;
  readonly isPlain: boolean;
  readonly text: string;
}

const item = fc.record({ isSystem: fc.boolean(), isPlain: fc.boolean(), text: fc.string({ maxLength: 3 }) });
const rules = {
  isSystem: ({ isSystem }: Item) => isSystem,
  join: (before: Item, next: Item): Item | undefined =>
    before.isPlain && next.isPlain ? { ...next, text: `${before.text}|${next.text}` } : undefined,
};

describe("what the system says in a turn", () => {
  it("comes last, in its order, nothing of it or of the rest lost, and stays so", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), (turn) => {
        const sent = systemLast(turn, rules);
        const first = sent.findIndex(rules.isSystem);
        expect(first === -1 || sent.slice(first).every(rules.isSystem)).toBe(true);
        expect(sent.filter((one) => !one.isSystem)).toEqual(turn.filter((one) => !one.isSystem));
        const said = (items: readonly Item[]) =>
          items
            .filter(rules.isSystem)
            .map(({ text }) => text)
            .join("|");
        expect(said(sent)).toBe(said(turn));
        expect(systemLast(sent, rules)).toEqual(sent);
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { withLazyField } from "./lazy-field.js";

function counted<T>(find: () => T) {
  let count = 0;
  const event = withLazyField({ name: "compact" }, "accounting", () => {
    count += 1;
    return find();
  });
  return { event, looks: () => count };
}

describe("a field that is worked out where somebody looks", () => {
  it("is found once, and not before", () => {
    const { event, looks } = counted(() => ({ total: 7 }));
    expect(event.name).toBe("compact");
    expect("accounting" in event).toBe(true);
    expect(Object.keys(event)).toEqual(["name", "accounting"]);
    expect(looks()).toBe(0);
    expect(event.accounting).toEqual({ total: 7 });
    expect(event.accounting).toBe(event.accounting);
    expect(looks()).toBe(1);
  });

  it("is found once also where it is nothing", () => {
    const { event, looks } = counted(() => undefined);
    expect([event.accounting, event.accounting]).toEqual([undefined, undefined]);
    expect(looks()).toBe(1);
  });

  it("is part of copies and of what is written down", () => {
    const expected = { name: "compact", accounting: { total: 7 } };
    const { event, looks } = counted(() => ({ total: 7 }));
    expect(JSON.parse(JSON.stringify(event))).toEqual(expected);
    expect({ ...event }).toEqual(expected);
    expect(structuredClone(event)).toEqual(expected);
    expect(looks()).toBe(1);
  });

  it("tells of a failure each time, and may be found later", () => {
    let isReady = false;
    const { event, looks } = counted(() => {
      if (!isReady) throw new Error("not yet");
      return 1;
    });
    expect(() => event.accounting).toThrow("not yet");
    isReady = true;
    expect(event.accounting).toBe(1);
    expect(looks()).toBe(2);
  });
});

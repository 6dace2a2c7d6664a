import { expect, it } from "vitest";
import { decideSizeBased } from "./size-based.js";
import { decideTimeBased } from "./time-based.js";
import { contextOf } from "./testing/context.js";
import { createSample, SAMPLE_START } from "../tools/testing/sample.js";

it("asking costs nothing until there is something to do", () => {
  const sample = createSample();
  const messages = Array.from({ length: 500 }, () => sample.round({ calls: [{ result: "ok" }] })).flat();
  const context = contextOf(messages);
  let walks = 0;
  const index = new Proxy(context.index, {
    get(target, name) {
      if (name === "active" || name === "clearable") walks += 1;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const watched = { ...context, index };
  expect(decideSizeBased(watched)).toMatchObject({ reason: "below-trigger" });
  expect(decideTimeBased({ ...watched, now: SAMPLE_START, isMainThread: true })).toMatchObject({
    reason: "not-idle",
  });
  expect(walks).toBe(0);
});

import { expect, it } from "vitest";
import { telling } from "./telling.js";

interface Told {
  readonly kind: "notice";
  readonly text: string;
}

const notice = (text: string): Told => ({ kind: "notice", text });

async function collect<T>(events: AsyncGenerator<Told, T>) {
  const told: Told[] = [];
  let next = await events.next();
  while (next.done !== true) {
    told.push(next.value);
    next = await events.next();
  }
  return { told, value: next.value };
}

it("yields what is told before the result, the last word included", async () => {
  const { told, value } = await collect(
    telling(async (tell: (event: Told) => void) => {
      tell(notice("a"));
      await Promise.resolve();
      tell(notice("b"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      tell(notice("c"));
      return 7;
    }),
  );
  expect(told).toEqual([notice("a"), notice("b"), notice("c")]);
  expect(value).toBe(7);
});

it("yields while the work goes on", async () => {
  let finish = (): void => {};
  const events = telling(async (tell: (event: Told) => void) => {
    tell(notice("early"));
    await new Promise<void>((resolve) => (finish = resolve));
  });
  expect(await events.next()).toEqual({ done: false, value: notice("early") });
  finish();
  expect((await events.next()).done).toBe(true);
});

it("rejects as the work does, behind what was told", async () => {
  const events = telling(async (tell: (event: Told) => void) => {
    tell(notice("a"));
    throw new Error("no");
  });
  expect((await events.next()).value).toEqual(notice("a"));
  await expect(events.next()).rejects.toThrow("no");
});

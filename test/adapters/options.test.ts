import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPalimpsestError } from "@palimpsest/core";
import * as aiSdk from "@palimpsest/core/ai-sdk";
import * as anthropicSdk from "@palimpsest/core/anthropic-sdk";
import * as langChain from "@palimpsest/core/langchain";

const adapters: Readonly<Record<string, (options: never) => unknown>> = {
  palimpsestAiSdk: aiSdk.palimpsestAiSdk,
  palimpsestPrepareStep: aiSdk.palimpsestPrepareStep,
  palimpsestLangChain: langChain.palimpsestLangChain,
  palimpsestAnthropic: anthropicSdk.palimpsestAnthropic,
};

const misuses: readonly (readonly [options: unknown, sentence: string | RegExp])[] = [
  [null, "the options must be an object"],
  ["claude-opus-5", "the options must be an object"],
  [{ setings: {} }, /^there is no option "setings"; there are capabilities, clock, .*settings/],
  [{ toString: 1 }, /^there is no option "toString"; there are /],
  [{ settings: "thrifty" }, "`settings` must be an object of settings"],
  [{ settings: { windows: 200_000 } }, 'there is no setting "windows"'],
  [{ settings: { reserve: -1 } }, "the setting reserve cannot be -1: it takes a whole number, 0 or more"],
  [{ settings: { window: 0 } }, "the setting window cannot be 0: it takes a whole number, 1 or more"],
  [{ settings: { notes: true } }, "the setting notes needs the option `notes`, which makes a place for them"],
  [{ settings: { reserve: Object.create(null) as object } }, "a setting has a value that cannot be read"],
  [{ maxThreads: 0 }, "`maxThreads` must be a whole number, 1 or more"],
  [{ maxThreads: -5 }, "`maxThreads` must be a whole number, 1 or more"],
  [{ maxThreads: Number.NaN }, "`maxThreads` must be a whole number, 1 or more"],
  [{ retry: 3 }, "`retry` must be an object with maxRetries, baseMs, maxMs, maxRetryAfterMs"],
  [
    { retry: { maxRetries: -1 } },
    "`retry` must be an object whose `maxRetries` is a whole number, 0 or more",
  ],
  [
    { retry: { retries: 1 } },
    '`retry` must be an object with maxRetries, baseMs, maxMs, maxRetryAfterMs; it has "retries"',
  ],
  [{ ports: { sleep: 5 } }, "`ports` must be an object whose `sleep` is a function"],
  [{ onStep: true }, "`onStep` must be a function"],
  [{ provider: "anthropic" }, "`provider` must be an object with `stream()` and `capabilities()`"],
  [{ events: {} }, "`events` must be an object with `on()` and `emit()`"],
  [{ notes: {} }, "`notes` must be a function"],
  [{ hooks: { preCompact: () => {} } }, /^`hooks` must be an object with `preCompact\(\)` and /],
  [{ continuation: "stop" }, '`continuation` must be "ask", "continue" or "autonomous"'],
  [{ compactableTools: ["Read"] }, "`compactableTools` must be an object with `kindOf()`"],
  [{ capabilities: true }, "`capabilities` must be an object with `caching`"],
  [{ estimator: () => 1 }, "`estimator` must be an object with `block()` and `message()` and `pad()`"],
];

describe("what an adapter cannot be made with", () => {
  const cases = Object.entries(adapters).flatMap(([name, make]) =>
    misuses.map(([options, sentence]) => ({ name, make, options, sentence })),
  );
  it.each(cases)("$name($options)", ({ name, make, options, sentence }) => {
    let thrown: unknown;
    try {
      make(options as never);
    } catch (error) {
      thrown = error;
    }
    expect(isPalimpsestError(thrown, "bad_option")).toBe(true);
    const { message } = thrown as Error;
    expect(message.slice(0, name.length + 2)).toBe(`${name}: `);
    const said = message.slice(name.length + 2);
    if (typeof sentence === "string") expect(said).toBe(sentence);
    else expect(said).toMatch(sentence);
  });

  it.each(Object.entries(adapters))("%s takes what is left out, and a clock that is a class", (_, make) => {
    expect(() => make({ onStep: undefined, settings: undefined, clock: Date } as never)).not.toThrow();
  });

  it("threadOf is the AI SDK's alone", () => {
    expect(() => aiSdk.palimpsestAiSdk({ threadOf: "chat" as never })).toThrow(
      "`threadOf` must be a function",
    );
    expect(() => langChain.palimpsestLangChain({ threadOf: () => "chat" } as never)).toThrow(
      "there is no option",
    );
  });

  it("the names of before are the same functions", () => {
    expect([
      aiSdk.palimpsestMiddleware === aiSdk.palimpsestAiSdk,
      langChain.palimpsestMiddleware === langChain.palimpsestLangChain,
      anthropicSdk.palimpsestMiddleware === anthropicSdk.palimpsestAnthropic,
    ]).toEqual([true, true, true]);
  });

  it("whatever it is given, it is made or says in one sentence why not", () => {
    const names = [
      "settings",
      "retry",
      "ports",
      "maxThreads",
      "events",
      "hooks",
      "onStep",
      "provider",
      "window",
    ];
    const options = fc.oneof(
      fc.anything(),
      fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), fc.anything()),
    );
    fc.assert(
      fc.property(options, (given) => {
        for (const make of Object.values(adapters)) {
          try {
            make(given as never);
          } catch (error) {
            expect(isPalimpsestError(error, "bad_option")).toBe(true);
            expect((error as Error).message).toMatch(/^palimpsest\w+: \S/);
          }
        }
      }),
    );
  });
});

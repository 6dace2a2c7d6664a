import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Blocks that say which example they are from. */
const quoted = readdirSync(`${root}docs`)
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) =>
    [
      ...readFileSync(`${root}docs/${name}`, "utf8").matchAll(
        /<!-- (examples\/[\w.-]+) -->\n\n```js\n([\s\S]*?)\n```/g,
      ),
    ].map(([, example = "", code = ""]) => ({ name, example, code })),
  );

it("some pages quote examples", () => {
  expect(quoted.map(({ name, example }) => `${name}: ${example}`)).toEqual([
    "aborting.md: examples/aborting.mjs",
    "conversation.md: examples/own-loop.mjs",
    "conversation.md: examples/own-loop.mjs",
    "first-hour.md: examples/first-hour.mjs",
    "stores.md: examples/store-of-your-own.mjs",
    "stores.md: examples/store-of-your-own.mjs",
  ]);
});

it.each(quoted)("$name quotes $example as it runs", ({ example, code }) => {
  expect(code.split("\n").length).toBeGreaterThan(3);
  expect(readFileSync(`${root}${example}`, "utf8")).toContain(code);
});

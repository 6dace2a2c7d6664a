import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it('import "palimpsest" says which entries there are, all of them', async () => {
  const manifest = new URL("../packages/palimpsest/package.json", import.meta.url);
  const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as { exports: object };
  const message = await import("../packages/palimpsest/src/index.js").then(
    () => "",
    (error: unknown) => (error as Error).message,
  );
  const told = [...message.matchAll(/"palimpsest\/([^"]+)"/g)].map(([, name]) => `./${name}`);
  expect(told.toSorted()).toEqual(
    Object.keys(exports)
      .filter((name) => name !== "." && name !== "./package.json")
      .toSorted(),
  );
  expect(message).toContain('"@palimpsest/core"');
});

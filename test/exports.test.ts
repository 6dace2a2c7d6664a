import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { declarationsOf, handedWhole, hiddenBehind } from "./declarations.js";
import { entries } from "./entries.js";

const named = (isValue: boolean, file: string): readonly string[] =>
  declarationsOf(file).flatMap((declaration) => (declaration.isValue === isValue ? [declaration.name] : []));

const root = fileURLToPath(new URL("..", import.meta.url));

/** Every name that a page imports from the packages, as `page: name of entry`. */
function importsOf(page: string): readonly { readonly said: string; readonly isThere: boolean }[] {
  const text = readFileSync(`${root}/${page}`, "utf8");
  return [...text.matchAll(/import (?:type )?\{([^}]*)\} from "(@?palimpsest[^"]*)"/g)].flatMap(
    ([, names = "", from = ""]) => {
      const entry = entries.find(({ specifier }) => specifier === from);
      const there = entry === undefined ? [] : declarationsOf(entry.file).map(({ name }) => name);
      return names
        .split(",")
        .map((name) =>
          name
            .trim()
            .replace(/^type /, "")
            .replace(/ as .*/, ""),
        )
        .filter((name) => name !== "")
        .map((name) => ({ said: `${page}: ${name} of ${from}`, isThere: there.includes(name) }));
    },
  );
}

/** What the packages promise: a change here is a change of the public API and belongs in CHANGELOG.md. */
describe("exports", () => {
  it.each(entries)("$specifier", async ({ file }) => {
    const values = Object.keys((await import(file)) as object).toSorted();
    expect(values).toEqual(named(true, file));
    expect({ values, types: named(false, file) }).toMatchSnapshot();
  });

  it("the main entry has at most 40 values", () => {
    expect(named(true, entries[0]?.file ?? "").length).toBeLessThanOrEqual(40);
  });

  it("a name of the core is exported by one entry", () => {
    const names = entries.flatMap(({ specifier, file }) =>
      // The adapters and their options have the same names: one is imported, whichever the framework.
      /^@palimpsest\/core(?!\/(?:ai-sdk|anthropic-sdk|langchain)$)/.test(specifier)
        ? declarationsOf(file).map(({ name }) => name)
        : [],
    );
    expect(names.length).toBeGreaterThan(400);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("what the docs import is exported there", () => {
    const pages = [
      "README.md",
      ...readdirSync(`${root}/docs`).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
    ];
    const imports = pages.flatMap(importsOf);
    expect(imports.length).toBeGreaterThan(20);
    expect(imports.flatMap(({ said, isThere }) => (isThere ? [] : [said]))).toEqual([]);
  });

  it("the entry points", () => {
    expect(entries.map(({ specifier }) => specifier)).toMatchInlineSnapshot(`
      [
        "@palimpsest/core",
        "@palimpsest/core/ai-sdk",
        "@palimpsest/core/anthropic-sdk",
        "@palimpsest/core/branches",
        "@palimpsest/core/compaction",
        "@palimpsest/core/fit",
        "@palimpsest/core/import",
        "@palimpsest/core/engine",
        "@palimpsest/core/langchain",
        "@palimpsest/core/notes",
        "@palimpsest/core/protocols",
        "@palimpsest/core/recordings",
        "@palimpsest/core/restore",
        "@palimpsest/core/testing",
        "@palimpsest/core/totals",
        "@palimpsest/core/tree",
        "@palimpsest/core/validity",
        "palimpsest/agent",
        "palimpsest/hooks",
        "palimpsest/files",
        "palimpsest/stores",
        "palimpsest/postgres",
        "palimpsest/recall",
        "palimpsest/replay",
        "palimpsest/telemetry",
        "palimpsest/simulator",
        "palimpsest/providers",
      ]
    `);
  });

  it("the declarations of the main entry, and what stands behind them without a name outside", async () => {
    const main = declarationsOf(entries[0]?.file ?? "");
    const exported = new Set(entries.flatMap(({ file }) => declarationsOf(file).map(({ name }) => name)));
    const hidden = hiddenBehind(main, exported);
    const texts = [...main, ...hidden].map(({ name, kind, text }) =>
      handedWhole.has(name) ? `${kind} ${name};` : text,
    );
    await expect(`${texts.join("\n\n")}\n`).toMatchFileSnapshot("__snapshots__/core-declarations.txt");
  });
});

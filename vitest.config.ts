import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.js";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Tests run from source; only what a test starts as a process needs `dist` (see test/build-first.ts). */
const alias = [
  ...["ai-sdk", "anthropic-sdk", "langchain"].map((name) => ({
    find: `@palimpsest/core/${name}`,
    replacement: source(`packages/core/src/adapters/${name}.ts`),
  })),
  ...[
    "branches",
    "compaction",
    "engine",
    "fit",
    "import",
    "notes",
    "protocols",
    "recordings",
    "restore",
    "totals",
    "tree",
    "validity",
  ].map((name) => ({
    find: `@palimpsest/core/${name}`,
    replacement: source(`packages/core/src/${name}.ts`),
  })),
  {
    find: "@palimpsest/core/testing",
    replacement: source("packages/core/src/testing/index.ts"),
  },
  { find: "@palimpsest/core", replacement: source("packages/core/src/index.ts") },
];

/** Properties try a share of their cases, and can be given a seed: test/properties/fast-check.ts. */
const fastCheck = source("test/properties/fast-check.ts");
const plugins = [
  {
    name: "share-of-cases",
    enforce: "pre" as const,
    resolveId: (id: string, importer?: string) =>
      id === "fast-check" && importer !== fastCheck ? fastCheck : undefined,
  },
];

/**
 * A machine may be slow: what is waited for has to come, not to come soon. So nothing has a limit of its own, and
 * test/watchdog-reporter.mjs ends a run in which no test comes to its end any more.
 */
const patient = { testTimeout: 0, hookTimeout: 0, expect: { poll: { timeout: 300_000 } } };

export default defineConfig({
  test: {
    // The machine is for the tests alone, and a good part of their time they wait. (A share in per cent would be cut to 100.)
    maxWorkers: availableParallelism() * 2,
    // Long runs try the files in an order of chance: soak/properties.mjs.
    sequence: process.argv.includes("--sequence.shuffle.files") ? {} : { sequencer: LongestFirst },
    reporters: ["default", source("test/watchdog-reporter.mjs"), source("test/plain-reporter.mjs")],
    projects: [
      {
        plugins,
        resolve: { alias },
        test: {
          name: "unit",
          include: [
            "packages/*/src/**/*.test.ts",
            "test/*.test.ts",
            "test/properties/*.test.ts",
            "test/clear/*.test.ts",
            "test/prompt/*.test.ts",
            "test/summarise/*.test.ts",
            "test/conversation/*.test.ts",
            "test/adapters/*.test.ts",
            "test/postgres/*.test.ts",
          ],
          isolate: false,
          globalSetup: ["test/made-files-first.ts", "test/postgres-for-all.ts"],
          setupFiles: ["test/properties/count-cases.ts"],
          ...patient,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "process",
          include: ["test/process/*.test.ts"],
          globalSetup: ["test/build-first.ts"],
          isolate: false,
          ...patient,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "browser",
          include: ["test/browser/*.test.ts"],
          globalSetup: ["test/build-first.ts"],
          ...patient,
        },
      },
    ],
  },
});

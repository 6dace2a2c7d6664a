import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Tests run from source; only what a test starts as a process needs `dist` (see test/build-first.ts). */
const alias = [
  ...["ai-sdk", "anthropic-sdk", "langchain"].map((name) => ({
    find: `@palimpsest/core/${name}`,
    replacement: source(`packages/core/src/adapters/${name}.ts`),
  })),
  ...["compaction", "notes", "protocols", "validity"].map((name) => ({
    find: `@palimpsest/core/${name}`,
    replacement: source(`packages/core/src/${name}.ts`),
  })),
  {
    find: "@palimpsest/core/testing",
    replacement: source("packages/core/src/testing/index.ts"),
  },
  { find: "@palimpsest/core", replacement: source("packages/core/src/index.ts") },
];

/** A machine may be slow: what is waited for has to come, not to come soon. */
const expect = { poll: { timeout: 60_000 } };

export default defineConfig({
  test: {
    // The machine is for the tests alone.
    maxWorkers: "100%",
    reporters: ["default", source("test/plain-reporter.mjs")],
    projects: [
      {
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
          ],
          isolate: false,
          testTimeout: 120_000,
          expect,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "process",
          include: ["test/process/*.test.ts"],
          globalSetup: ["test/build-first.ts"],
          testTimeout: 300_000,
          expect,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "browser",
          include: ["test/browser/*.test.ts"],
          globalSetup: ["test/build-first.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          expect,
        },
      },
    ],
  },
});

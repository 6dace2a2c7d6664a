import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { breakLines } from "./break-lines.mjs";
import { writePages } from "./pages.mjs";
import { writeShippedFiles } from "./shipped-files.mjs";
import { packageOf, writeThirdParty } from "./third-party.mjs";
import { writeTokenTable } from "./token-table.mjs";

/**
 * Puts what `tsc -b` has built into few files, so that starting costs few of them: hundreds of small modules take
 * a quarter of a second. What is loaded on demand stays apart.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const core = join(root, "packages/core/dist");
const palimpsest = join(root, "packages/palimpsest/dist");

/** Folders of the packages of others that went into a bundle. */
const bundledPackages = new Set();

async function bundle({
  directory,
  input,
  external,
  minify = false,
  plugins = [],
  groups = [],
  hasLines = false,
}) {
  const fresh = `${directory}.${process.pid}`;
  const build = await rolldown({
    input,
    external,
    plugins,
    platform: "node",
    treeshake: true,
    logLevel: "warn",
    // What is put together is not loaded later: that is meant.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await build.write({
    dir: fresh,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunk-[hash].js",
    comments: false,
    minify,
    ...(groups.length === 0 ? {} : { codeSplitting: { groups } }),
  });
  await build.close();
  for (const id of output.flatMap(({ moduleIds = [] }) => moduleIds)) {
    const folder = packageOf(id);
    if (folder !== undefined) bundledPackages.add(folder);
  }
  if (hasLines) breakLines(fresh);
  // Whoever is running meanwhile finds the old files, or the new ones.
  await rm(directory, { recursive: true, force: true });
  await rename(fresh, directory);
}

/** The modules that entries load at once, without those that they load when they are wanted. */
async function modulesOf(input) {
  const external = (id) => !/^[./]/.test(id);
  const build = await rolldown({ input, external, platform: "node", logLevel: "silent" });
  const { output } = await build.generate({ format: "esm" });
  await build.close();
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const reached = new Set(output.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  for (const fileName of reached) for (const name of chunks.get(fileName)?.imports ?? []) reached.add(name);
  return new Set([...reached].flatMap((fileName) => chunks.get(fileName)?.moduleIds ?? []));
}

/** What `@palimpsest/core` itself loads is one file; whatever else has in common stays out of it. */
const engine = await modulesOf(join(core, "index.js"));
const entries = [
  "index",
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
];
const adapters = ["ai-sdk", "anthropic-sdk", "langchain"];

await bundle({
  directory: join(core, "bundled"),
  input: {
    ...Object.fromEntries(entries.map((name) => [name, join(core, `${name}.js`)])),
    ...Object.fromEntries(adapters.map((name) => [name, join(core, `adapters/${name}.js`)])),
    testing: join(core, "testing/index.js"),
  },
  external: [],
  // Names and lines stay: an error in somebody's terminal has to be readable.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  hasLines: true,
  groups: [{ name: "engine", test: (id) => engine.has(id) && id !== join(core, "index.js") }],
});

/**
 * Packages stay what they are, but for the SDK, whose hundred files are a quarter of what a start costs, with what it needs itself,
 * and for the parts of
 * the screen, which say that they want a newer Node than they need.
 */
const isPackage = (id) =>
  !/^[./]|^(?:@anthropic-ai\/sdk|@opentelemetry\/api|standardwebhooks|@earendil-works\/pi-tui|marked|get-east-asian-width)(?:\/|$)/.test(
    id,
  );

/** What the SDK checks webhooks with: nobody here receives any, and it brings two packages more. */
const withoutWebhooks = {
  name: "without-webhooks",
  resolveId: (id) => (id === "standardwebhooks" ? "\0standardwebhooks" : null),
  load: (id) =>
    id === "\0standardwebhooks"
      ? 'export class Webhook { constructor() { throw new Error("this copy of the SDK checks no webhooks"); } }'
      : null,
};

/**
 * Benchmarks and long runs are left where they are: they share much with the agent, whose start would be cut into more
 * files.
 */
const heavyApart = {
  name: "heavy-apart",
  resolveId: (id) => {
    const folder = /\/(bench|soak)\/index\.js$/.exec(id)?.[1];
    return folder === undefined ? null : { id: `../${folder}/index.js`, external: "absolute" };
  },
};

const main = join(palimpsest, "cli/main.js");
const workers = {
  // Workers are started from a file of their own, beside the one that starts them.
  "replay-worker": join(palimpsest, "replay/replay-worker.js"),
  "proxy-process": join(palimpsest, "gateway/launch/proxy-process.js"),
  "watch-worker": join(palimpsest, "gateway/watch/watch-worker.js"),
  "what-if-worker": join(palimpsest, "gateway/watch/what-if-worker.js"),
  "inspector-worker": join(palimpsest, "inspector/jobs/inspector-worker.js"),
};

/** What every run of the agent loads, bit by bit: a hundred files cost more to find than to read. */
const loadedByAgent = [
  "cli/headless/print",
  "cli/headless/choose-provider",
  "providers/anthropic",
  "providers/overage",
  "providers/provider-fetch",
].map((name) => join(palimpsest, `${name}.js`));
const ofAgent = await modulesOf(loadedByAgent);
const ofMain = await modulesOf(main);
/** Other programs do not load the agent, or all commands, for what they share with them. */
const ofWorkers = await modulesOf(Object.values(workers));
const groups = [
  { name: "shared", test: (id) => ofMain.has(id) && ofWorkers.has(id) },
  { name: "commands", test: (id) => ofMain.has(id) && !ofWorkers.has(id) && id !== main },
  { name: "agent", test: (id) => ofAgent.has(id) && !ofMain.has(id) && !ofWorkers.has(id) },
];

await bundle({
  directory: join(palimpsest, "bundled"),
  input: {
    main,
    ...workers,
    // For programs that use the library and have no SDK of their own (`load-anthropic-sdk.ts`).
    "anthropic-sdk": "@anthropic-ai/sdk",
  },
  groups,
  external: isPackage,
  plugins: [heavyApart, withoutWebhooks],
});

// What V8 made of former files (`bin/palimpsest.mjs`).
await rm(join(palimpsest, ".compile-cache"), { recursive: true, force: true });
writeTokenTable();
const inPages = await writePages();
writeThirdParty({
  root,
  folders: [...bundledPackages, ...inPages, join(root, "node_modules/gpt-tokenizer")],
  target: join(palimpsest, "THIRD-PARTY.txt"),
});
writeShippedFiles(join(root, "packages/core"));
writeShippedFiles(join(root, "packages/palimpsest"));

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
  isInEngine,
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
  });
  const { output } = await build.write({
    dir: fresh,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunk-[hash].js",
    comments: false,
    minify,
    ...(isInEngine === undefined
      ? {}
      : { codeSplitting: { groups: [{ name: "engine", test: isInEngine }] } }),
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

/** What `@palimpsest/core` itself loads is one file; whatever else has in common stays out of it. */
async function modulesOf(entry) {
  const build = await rolldown({ input: entry, platform: "node", logLevel: "warn" });
  const { output } = await build.generate({ format: "esm" });
  await build.close();
  return new Set(output.flatMap(({ moduleIds = [] }) => moduleIds));
}

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
  isInEngine: (id) => engine.has(id) && id !== join(core, "index.js"),
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

await bundle({
  directory: join(palimpsest, "bundled"),
  input: {
    main: join(palimpsest, "cli/main.js"),
    // Workers are started from a file of their own, beside the one that starts them.
    "replay-worker": join(palimpsest, "replay/replay-worker.js"),
    "proxy-process": join(palimpsest, "gateway/launch/proxy-process.js"),
    "watch-worker": join(palimpsest, "gateway/watch/watch-worker.js"),
    "what-if-worker": join(palimpsest, "gateway/watch/what-if-worker.js"),
    "inspector-worker": join(palimpsest, "inspector/jobs/inspector-worker.js"),
    // For programs that use the library and have no SDK of their own (`load-anthropic-sdk.ts`).
    "anthropic-sdk": "@anthropic-ai/sdk",
  },
  external: isPackage,
  plugins: [heavyApart, withoutWebhooks],
});

writeTokenTable();
const inPages = await writePages();
writeThirdParty({
  root,
  folders: [...bundledPackages, ...inPages, join(root, "node_modules/gpt-tokenizer")],
  target: join(palimpsest, "THIRD-PARTY.txt"),
});
writeShippedFiles(join(root, "packages/core"));
writeShippedFiles(join(root, "packages/palimpsest"));

import { copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/**
 * Puts what `tsc -b` has built into few files, so that starting costs few of them: hundreds of small modules take
 * a quarter of a second. What is loaded on demand stays apart.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const core = join(root, "packages/core/dist");
const palimpsest = join(root, "packages/palimpsest/dist");

async function bundle({ directory, input, external, plugins = [], minify = false }) {
  const fresh = `${directory}.${process.pid}`;
  const build = await rolldown({
    input,
    external,
    plugins,
    platform: "node",
    treeshake: true,
    logLevel: "warn",
  });
  await build.write({
    dir: fresh,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunk-[hash].js",
    comments: false,
    minify,
  });
  await build.close();
  // Whoever is running meanwhile finds the old files, or the new ones.
  await rm(directory, { recursive: true, force: true });
  await rename(fresh, directory);
}

await bundle({
  directory: join(core, "bundled"),
  input: { index: join(core, "index.js"), testing: join(core, "testing/index.js") },
  external: [],
  minify: true,
});

/** Adapters take from the core what everybody can take, so that the core stays one file. */
const fromTheCore = {
  name: "from-the-core",
  resolveId(source, importer) {
    const isOutside = importer !== undefined && /^(?:\.\.\/)+(?:engine|messages|protocols)\//.test(source);
    return isOutside && !source.endsWith("/messages/fields.js")
      ? { id: "../index.js", external: true }
      : null;
  },
};

await bundle({
  directory: join(core, "bundled/adapters"),
  input: Object.fromEntries(
    ["ai-sdk", "anthropic-sdk", "langchain"].map((name) => [name, join(core, `adapters/${name}.js`)]),
  ),
  external: [],
  plugins: [fromTheCore],
});

/** Packages stay what they are, but for the SDK: its hundred files are a quarter of what a start costs. */
const isPackage = (id) => !/^[./]|^@anthropic-ai\/sdk(?:\/|$)/.test(id);

await bundle({
  directory: join(palimpsest, "bundled"),
  input: {
    main: join(palimpsest, "cli/main.js"),
    // Workers are started from a file of their own, beside the one that starts them.
    "replay-worker": join(palimpsest, "replay/replay-worker.js"),
  },
  external: isPackage,
});

await copyFile(
  join(root, "node_modules/@anthropic-ai/sdk/LICENSE"),
  join(palimpsest, "bundled/LICENSE-anthropic-sdk"),
);

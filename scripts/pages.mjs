import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { packageOf } from "./third-party.mjs";

/**
 * Writes the pages that people open in a browser: of each one script and one style, which load nothing. Made from source, so that tests
 * from source need no other build.
 */
const MOST_BYTES = 120_000;
const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "packages/palimpsest/src");
const target = join(root, "packages/palimpsest/dist/page-files");

const pages = [
  {
    name: "inspector",
    entry: "inspector/web/start-inspector.tsx",
    styles: ["web/base.css", "web/chart.css", "inspector/web/inspector.css"],
  },
  {
    name: "report",
    entry: "replay/report/page/start-report.tsx",
    styles: ["web/base.css", "web/chart.css", "replay/report/page/report.css"],
  },
];

/** Gives the folders of the packages that went into them. */
export async function writePages() {
  mkdirSync(target, { recursive: true });
  const folders = [join(root, "node_modules/uplot")];
  for (const { name, entry, styles } of pages) {
    const style = [
      readFileSync(join(root, "node_modules/uplot/dist/uPlot.min.css"), "utf8"),
      ...styles.map((path) => readFileSync(join(source, path), "utf8")),
    ].join("\n");
    const { code, moduleIds } = await scriptOf(join(source, entry));
    folders.push(...moduleIds.flatMap((id) => packageOf(id) ?? []));
    const parts = { js: code, css: withoutComments(style) };
    const size = gzipSync(parts.js + parts.css).length;
    if (size > MOST_BYTES) throw new Error(`${name}: ${size} bytes gzipped, at most ${MOST_BYTES}`);
    for (const [ending, text] of Object.entries(parts)) write(`${name}.${ending}`, text);
  }
  return folders;
}

async function scriptOf(entry) {
  const build = await rolldown({
    input: entry,
    platform: "browser",
    logLevel: "warn",
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    transform: {
      jsx: { runtime: "automatic", importSource: "preact" },
      target: "es2022",
      define: { "process.env.NODE_ENV": '"production"' },
    },
  });
  const { output } = await build.generate({ format: "iife", minify: true, comments: false });
  await build.close();
  if (output.length !== 1) throw new Error(`${entry}: a page is one file, and this one is ${output.length}`);
  // Neither the end of its element nor a comment can begin in it.
  const code = output[0].code.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  if (/\b(?:outerHTML|insertAdjacentHTML|document\.write|new Function)\b/.test(code)) {
    throw new Error(`${entry}: the page turns texts into markup or code`);
  }
  return { code, moduleIds: output[0].moduleIds };
}

function withoutComments(style) {
  return style
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}

/** Whoever reads it meanwhile finds the old one, or the new one. */
function write(name, text) {
  const file = join(target, name);
  const fresh = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(fresh, text);
  renameSync(fresh, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writePages();

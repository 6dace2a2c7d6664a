import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

/**
 * How many bytes somebody downloads who takes everything that these entries of `@palimpsest/core` export, minified
 * and gzipped. Run as a program it fails where the main entry, alone or with compaction, has grown beyond its limit.
 */
const limits = [
  { entries: ["@palimpsest/core"], most: 60_000 },
  { entries: ["@palimpsest/core", "@palimpsest/core/compaction"], most: 95_000 },
];

export async function coreSize(...entries) {
  const code = entries.map((entry, index) => `export * as part${index} from "${entry}";`).join("\n");
  const build = await rolldown({
    input: "all",
    plugins: [
      {
        name: "all",
        resolveId: (id) => (id === "all" ? "\0all" : null),
        load: (id) => (id === "\0all" ? code : null),
      },
    ],
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    platform: "neutral",
    logLevel: "warn",
  });
  const { output } = await build.generate({ format: "esm", minify: true, comments: false });
  await build.close();
  return output.reduce((sum, { code: text }) => sum + gzipSync(text, { level: 9 }).length, 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { entries, most } of limits) {
    const bytes = await coreSize(...entries);
    console.log(`${entries.join(" with ")}: ${bytes} bytes minified and gzipped, at most ${most}`);
    if (bytes > most) process.exitCode = 1;
  }
}

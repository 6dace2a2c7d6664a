import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Installs the packages as others do, each in a folder of its own, and fails where one takes more than its limit, or where it
 * does not work: every entry is loaded, with and without what is optional.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
/** Entries that are made for a package beside them: without it, what is missing is named. */
const NEEDED_BESIDE = { "palimpsest/telemetry": "@opentelemetry/api" };

const MEGABYTE = 1_000_000;
const installations = [
  { name: "@palimpsest/core", packages: ["core"], flags: [], most: 1.2 * MEGABYTE },
  {
    name: "palimpsest without what is optional",
    packages: ["core", "palimpsest"],
    flags: ["--omit=optional"],
    most: 25 * MEGABYTE,
    inBlocks: true,
  },
  { name: "palimpsest", packages: ["core", "palimpsest"], flags: [], most: 60 * MEGABYTE, inBlocks: true },
];

const folder = mkdtempSync(join(tmpdir(), "palimpsest-packages-"));
try {
  const tarballs = new Map(["core", "palimpsest"].map((name) => [name, pack(name)]));
  for (const [index, { name, packages, flags, most, inBlocks = false }] of installations.entries()) {
    const place = join(folder, String(index));
    mkdirSync(place);
    writeFileSync(join(place, "package.json"), '{"private":true,"type":"module"}');
    npm(place, [
      "install",
      "--ignore-scripts",
      "--prefer-offline",
      "--no-package-lock",
      ...flags,
      ...packages.map((item) => tarballs.get(item)),
    ]);
    rmSync(join(place, "node_modules/.package-lock.json"), { force: true });
    const { bytes, disk } = sizeOf(join(place, "node_modules"));
    const isTooBig = (inBlocks ? disk : bytes) > most;
    console.log(
      `${name}: ${inMegabytes(bytes)} MB installed (${inMegabytes(disk)} MB of blocks), at most ${inMegabytes(most)}${inBlocks ? " of blocks" : ""}`,
    );
    if (isTooBig) process.exitCode = 1;
    loadEntries(place, packages);
    if (packages.includes("palimpsest")) answerOnce(place);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack(name) {
  const output = npm(root, ["pack", "--json", "--pack-destination", folder, `./packages/${name}`]);
  const [{ filename, files }] = JSON.parse(output);
  // What no import leads to.
  const besides =
    name === "palimpsest"
      ? ["THIRD-PARTY.txt", "page-files/inspector.js", "page-files/report.js"].map((file) => `dist/${file}`)
      : [];
  const missing = ["README.md", "LICENSE", "package.json", ...besides].filter(
    (file) => !files.some(({ path }) => path === file),
  );
  if (missing.length > 0) throw new Error(`the package ${name} lacks ${missing.join(", ")}`);
  return join(folder, filename);
}

function npm(cwd, args) {
  return execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Bytes of all files, and what they take on a disk of blocks of 4 KiB, folders included. */
function sizeOf(directory) {
  let [bytes, disk] = [0, 4096];
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const entry = lstatSync(path);
    if (entry.isDirectory()) {
      const inside = sizeOf(path);
      bytes += inside.bytes;
      disk += inside.disk;
    } else {
      bytes += entry.size;
      disk += Math.ceil(entry.size / 4096) * 4096;
    }
  }
  return { bytes, disk };
}

function inMegabytes(bytes) {
  return (bytes / MEGABYTE).toFixed(2).replace(/\.?0+$/, "");
}

/** Every entry loads; the one of `palimpsest` itself says which others there are. */
function loadEntries(place, packages) {
  const specifiers = packages.flatMap((name) => {
    const { name: own, exports } = JSON.parse(
      readFileSync(join(root, "packages", name, "package.json"), "utf8"),
    );
    return Object.keys(exports)
      .filter((path) => path !== "./package.json" && !(own === "palimpsest" && path === "."))
      .map((path) => `${own}${path.slice(1)}`);
  });
  run(
    place,
    `const beside = ${JSON.stringify(NEEDED_BESIDE)};
    for (const name of ${JSON.stringify(specifiers)}) await import(name).catch((error) => {
      if (beside[name] === undefined || !error.message.includes("'" + beside[name] + "'")) throw error;
    });`,
  );
}

/** The command starts, and a call goes through the official SDK, which is not installed there, to the simulated API. */
function answerOnce(place) {
  execFileSync(process.execPath, [join(place, "node_modules/palimpsest/bin/palimpsest.mjs"), "--version"]);
  run(
    place,
    `import { createAnthropicProvider } from "palimpsest/providers";
    import { createEchoPlayer, createSimulator, createSimulatorApp } from "palimpsest/simulator";
    const app = createSimulatorApp({ simulator: createSimulator({ player: createEchoPlayer() }) });
    const provider = createAnthropicProvider({ apiKey: "any", fetch: (url, init) => app(new Request(url, init)) });
    const request = { model: "claude-opus-5", max_tokens: 100, messages: [{ role: "user", content: "hello" }] };
    let last;
    for await (const output of provider.stream({ request })) last = output;
    if (last.kind !== "message") throw new Error(JSON.stringify(last));`,
  );
}

function run(place, code) {
  const file = join(place, "check.mjs");
  writeFileSync(file, code);
  execFileSync(process.execPath, [pathToFileURL(file).pathname], { stdio: ["ignore", "ignore", "inherit"] });
}

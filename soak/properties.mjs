import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** All properties with all of their cases, and all that `npm test` takes a part of, in an order that chance chooses. */
export const propertiesRun = {
  name: "properties",
  about: "every property of the tests with the full number of cases, and every table in full",
  passes: 3,
  async pass({ seed, step, isOver, signal }) {
    const env = {
      ...process.env,
      PALIMPSEST_BUILT: "1",
      PALIMPSEST_PROPERTY_SHARE: "1",
      PALIMPSEST_PROPERTY_SEED: String(seed | 0),
    };
    const child = spawn(
      process.execPath,
      [
        join(root, "node_modules/vitest/vitest.mjs"),
        "run",
        "--project=unit",
        "--project=process",
        `--reporter=${join(root, "soak/properties-reporter.mjs")}`,
        "--sequence.shuffle.files",
        `--sequence.seed=${seed}`,
        ...(await filesWithProperties()),
      ],
      { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] },
    );
    const end = () => child.kill("SIGKILL");
    signal.addEventListener("abort", end, { once: true });
    let complaints = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (complaints = (complaints + text).slice(-2000)));
    const closed = once(child, "close");
    try {
      let tests = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        if (!line.startsWith("{")) continue;
        const { file, name, error, cases } = JSON.parse(line);
        if (error !== null) {
          const again = `PALIMPSEST_PROPERTY_SHARE=1 PALIMPSEST_PROPERTY_SEED=${seed | 0}`;
          throw new Error(`${name}: ${error} (alone: ${again} npx vitest run ${file})`);
        }
        tests += 1;
        await step(cases > 0 ? { properties: 1, cases } : { "other tests": 1 });
        if (isOver()) return;
      }
      const [code] = await closed;
      signal.throwIfAborted();
      if (code !== 0 || tests === 0) throw new Error(`vitest ended with ${code}: ${complaints}`);
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  },
};

async function filesWithProperties() {
  const found = [];
  for (const folder of ["packages/core/src", "packages/palimpsest/src", "test"]) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (!name.endsWith(".test.ts")) continue;
      const text = await readFile(join(root, folder, name), "utf8");
      if (/from "(?:fast-check|[./\w-]*\/(?:check-property|share)\.js)"/.test(text))
        found.push(join(folder, name));
    }
  }
  return found.toSorted();
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Runs test files in an order that chance chooses, their properties with a share of their cases. Every test that ends is a
 * step; the first that fails is thrown.
 */
export async function runTests(files, share, { seed, step, isOver, signal }) {
  const env = {
    ...process.env,
    // Whoever runs this has built.
    PALIMPSEST_BUILT: "1",
    PALIMPSEST_PROPERTY_SHARE: String(share),
    PALIMPSEST_PROPERTY_SEED: String(seed | 0),
  };
  const child = spawn(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      `--reporter=${join(root, "soak/properties-reporter.mjs")}`,
      "--sequence.shuffle.files",
      `--sequence.seed=${seed}`,
      ...files,
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
        const again = `PALIMPSEST_PROPERTY_SHARE=${share} PALIMPSEST_PROPERTY_SEED=${seed | 0}`;
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
}

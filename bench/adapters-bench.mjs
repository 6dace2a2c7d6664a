import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const frameworks = ["ai-sdk", "langchain", "anthropic-sdk"];
const runs = { without: "without", "without-200K": "without, in a 200K window", with: "with" };

/** What the examples print: an audit of forty files without the adapter, in a window that is large enough, and with it. */
export const adaptersBench = {
  name: "adapters",
  async *run() {
    const run = async (...args) => (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout;
    await run("node_modules/typescript/bin/tsc", "-p", "examples");
    for (const framework of frameworks) {
      const stdout = await run(`examples/dist/${framework}.js`);
      for (const [run, label] of Object.entries(runs)) {
        const { files, requests, cached, dollars } = figuresBehind(label, stdout);
        const name = `adapters.${framework}.${run}`;
        yield { name: `${name}.files`, value: files, unit: "files" };
        yield { name: `${name}.requests`, value: requests, unit: "requests" };
        yield { name: `${name}.cache-hit`, value: cached / 100, unit: "ratio" };
        yield { name: `${name}.cost`, value: dollars, unit: "$" };
      }
    }
  },
};

function figuresBehind(label, text) {
  const line = text.split("\n").find((one) => one.startsWith(label.padEnd(28)));
  const shown = /(\d+) files, (\d+) requests, (\d+)% from the cache, \$(\d+\.\d+)/.exec(line ?? "");
  if (shown === null) throw new Error(`an example no longer says what it cost "${label}"`);
  const [files, requests, cached, dollars] = shown.slice(1).map(Number);
  return { files, requests, cached, dollars };
}

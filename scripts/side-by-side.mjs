import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Runs npm scripts at the same time, and prints what each has said once it is over; the last one speaks for itself.
 * Fails where one of them does, after all have ended.
 */
const names = process.argv.slice(2);
const ends = names.map(async (name) => {
  const output = name === names.at(-1) ? "inherit" : "pipe";
  const child = spawn("npm", ["run", name], { stdio: ["ignore", output, output] });
  const said = [];
  child.stdout?.on("data", (bytes) => said.push(bytes));
  child.stderr?.on("data", (bytes) => said.push(bytes));
  const [code] = await once(child, "close");
  process.stdout.write(Buffer.concat(said));
  return code === 0 ? [] : [name];
});

const failed = (await Promise.all(ends)).flat();
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

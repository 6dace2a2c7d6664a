import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where the time of a profile by `--cpu-prof` goes: by whose code it is, and the functions with most of their own. Milliseconds. */
export async function readCpuProfile(folder) {
  const name = (await readdir(folder)).find((file) => file.endsWith(".cpuprofile"));
  if (name === undefined) throw new Error(`there is no profile in ${folder}`);
  const { nodes, samples, timeDeltas } = JSON.parse(await readFile(join(folder, name), "utf8"));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parts = new Map();
  const functions = new Map();
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame.functionName === "(idle)") continue;
    const milliseconds = (timeDeltas[index] ?? 0) / 1000;
    for (const [sums, key] of [
      [parts, partOf(frame)],
      [functions, `${frame.functionName || "(anonymous)"} (${partOf(frame)})`],
    ])
      sums.set(key, (sums.get(key) ?? 0) + milliseconds);
  }
  const sorted = (sums) => [...sums].toSorted(([, left], [, right]) => right - left);
  return { parts: sorted(parts), functions: sorted(functions) };
}

function partOf({ functionName, url }) {
  if (functionName === "spawn" && url.endsWith("internal/child_process"))
    return "starting the tools' processes";
  if (functionName === "(garbage collector)") return "collecting garbage";
  if (url.startsWith("node:internal/modules")) return "loading modules";
  if (url.startsWith("node:")) return "Node's own code";
  if (url.includes("/core/dist/")) return "the engine";
  if (url.includes("/palimpsest/dist/")) return "the agent and the SDK";
  return url === "" ? "system calls and V8" : "packages";
}

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds both packages once before the tests that start processes, unless that was done (PALIMPSEST_BUILT). */
export default function buildFirst(): void {
  if (process.env["PALIMPSEST_BUILT"] !== undefined) return;
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync("npm", ["run", "build"], { cwd: root, stdio: "inherit" });
  process.env["PALIMPSEST_BUILT"] = "1";
}

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds both packages once before the tests that start processes. */
export default function buildFirst(): void {
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync("npm", ["run", "build"], { cwd: root, stdio: "inherit" });
}

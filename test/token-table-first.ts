import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Tests from source need no build but for the tokenizer's table. */
export default function tokenTableFirst(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL("../scripts/token-table.mjs", import.meta.url))]);
}

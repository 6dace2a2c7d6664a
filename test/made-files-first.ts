import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Tests from source need no build but for the tokenizer's table and the pages that people open in a browser. */
export default function madeFilesFirst(): void {
  for (const script of ["token-table", "pages"]) {
    execFileSync(process.execPath, [fileURLToPath(new URL(`../scripts/${script}.mjs`, import.meta.url))]);
  }
}

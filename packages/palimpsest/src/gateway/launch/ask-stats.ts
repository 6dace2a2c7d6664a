import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReceiptDocument } from "../receipt/receipt-json.js";
import type { Lock } from "./lock-file.js";

/** A status line that waits is none. */
const PATIENCE_MS = 2000;

/**
 * The receipt so far of the gateway that a program goes through, by the address in its environment; undefined where it goes through
 * none. Asks nobody but a gateway of this machine whose lock file is there. Never rejects.
 */
export async function askStats(address: string, lockFolder: string): Promise<ReceiptDocument | undefined> {
  try {
    const { port, pathname } = new URL(address);
    const lock = JSON.parse(await readFile(join(lockFolder, `${Number(port)}.json`), "utf8")) as Lock;
    const prefix = pathname.replace(/\/(?:anthropic|openai)(?:\/.*)?$/, "");
    const response = await fetch(`${lock.url}${prefix}/__gateway/stats`, {
      headers: { authorization: `Bearer ${lock.token}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return response.ok ? ((await response.json()) as ReceiptDocument) : undefined;
  } catch {
    return undefined;
  }
}

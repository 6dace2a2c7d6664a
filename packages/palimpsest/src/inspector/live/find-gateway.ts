import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { askStats } from "../../gateway/launch/ask-stats.js";
import { isFields } from "../../replay/readers/recording.js";
import { gatewayPlace, type ConversationPlace } from "./conversation-places.js";

export type FoundGateway =
  | { readonly kind: "found"; readonly place: ConversationPlace }
  /** With one sentence. */
  | { readonly kind: "failed"; readonly message: string };

/** Where a running gateway of this machine keeps what goes through it: told by its lock file, and asked of itself. Never rejects. */
export async function findGateway(address: string, lockFolder: string): Promise<FoundGateway> {
  if (!URL.canParse(address)) return failed(`${address} is not an address, such as http://127.0.0.1:8787.`);
  const { origin, pathname } = new URL(address);
  const prefix = pathname.replace(/\/(?:(?:anthropic|openai)(?:\/.*)?)?$/, "");
  const stats = await askStats(`${origin}${prefix}/anthropic`, lockFolder);
  if (stats === undefined) return failed(`No gateway of this machine answers at ${address}.`);
  const folder = await recordFolderOf(join(lockFolder, `${Number(new URL(address).port)}.json`));
  if (folder === undefined) {
    return failed(
      `The gateway at ${address} records nothing: start it with --record FOLDER to see its requests.`,
    );
  }
  return { kind: "found", place: gatewayPlace(folder) };
}

const failed = (message: string): FoundGateway => ({ kind: "failed", message });

async function recordFolderOf(path: string): Promise<string | undefined> {
  try {
    const lock: unknown = JSON.parse(await readFile(path, "utf8"));
    const folder = isFields(lock) ? lock["recordFolder"] : undefined;
    return typeof folder === "string" ? folder : undefined;
  } catch {
    return undefined;
  }
}

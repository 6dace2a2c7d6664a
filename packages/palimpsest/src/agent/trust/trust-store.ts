import { join } from "node:path";
import { isFields } from "../base/fields.js";
import { readJsonFile } from "../settings/json-file.js";
import { replaceFile } from "../../stores/replace-file.js";

/** A folder that the person has trusted, with all that it asked for then. */
export interface TrustedFolder {
  /** Absolute, as links lead. */
  readonly folder: string;
  /** ISO 8601. */
  readonly trustedAt: string;
  /** Digests of claims, of those in folders below too. */
  readonly claims: readonly string[];
}

/** The person's answers: one private file of theirs. */
export interface TrustStore {
  /** Rejects where the file is damaged: nothing is trusted because of something that cannot be read. */
  readonly list: () => Promise<readonly TrustedFolder[]>;
  /** In the place of an earlier answer for the same folder. */
  readonly add: (trusted: TrustedFolder) => Promise<void>;
  /** Whether there was such a folder. */
  readonly remove: (folder: string) => Promise<boolean>;
}

const MAX_BYTES = 16 * 1024 * 1024;

export function createTrustStore(configDirectory: string): TrustStore {
  const path = join(configDirectory, "trusted-folders.json");
  const damaged = (): Error =>
    new Error(`${path} is damaged: remove it, and trust your folders again with "palimpsest trust"`);

  const list = async (): Promise<readonly TrustedFolder[]> => {
    const file = await readJsonFile(path, { maxBytes: MAX_BYTES });
    if (file.kind === "absent") return [];
    const { folders } = file.kind === "read" ? file.content : {};
    if (!Array.isArray(folders) || !folders.every(isTrustedFolder)) throw damaged();
    return folders;
  };
  const save = (folders: readonly TrustedFolder[]): Promise<void> =>
    replaceFile(path, `${JSON.stringify({ folders }, null, 2)}\n`);
  const others = async (folder: string): Promise<readonly TrustedFolder[]> =>
    (await list()).filter((one) => one.folder !== folder);

  return {
    list,
    async add(trusted) {
      await save([...(await others(trusted.folder)), trusted]);
    },
    async remove(folder) {
      const before = await list();
      const after = await others(folder);
      if (after.length === before.length) return false;
      await save(after);
      return true;
    },
  };
}

const isTrustedFolder = (value: unknown): value is TrustedFolder =>
  isFields(value) &&
  typeof value["folder"] === "string" &&
  typeof value["trustedAt"] === "string" &&
  Array.isArray(value["claims"]) &&
  value["claims"].every((claim) => typeof claim === "string");

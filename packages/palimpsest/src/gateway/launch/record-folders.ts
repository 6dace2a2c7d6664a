import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { replaceFile } from "../../stores/replace-file.js";

/** Beyond these the ones that were named longest ago are forgotten. */
const MOST_FOLDERS = 20;

/** Beside the folder of lock files, in which there is nothing else. */
const fileIn = (lockFolder: string): string => `${lockFolder}-recordings.json`;

/** Remembers a folder that a gateway records in, so that its conversations are found again. */
export async function noteRecordFolder(lockFolder: string, folder: string): Promise<void> {
  const text = await readFile(fileIn(lockFolder), "utf8").catch(() => "");
  const folders = [folder, ...foldersIn(text).filter((known) => known !== folder)].slice(0, MOST_FOLDERS);
  await replaceFile(fileIn(lockFolder), `${JSON.stringify(folders)}\n`);
}

/** Where gateways have recorded, the newest first; none where nothing is known. */
export function recordFolders(lockFolder: string): readonly string[] {
  try {
    return foldersIn(readFileSync(fileIn(lockFolder), "utf8"));
  } catch {
    return [];
  }
}

function foldersIn(text: string): readonly string[] {
  try {
    const folders: unknown = JSON.parse(text);
    return Array.isArray(folders) ? folders.filter((folder) => typeof folder === "string") : [];
  } catch {
    return [];
  }
}

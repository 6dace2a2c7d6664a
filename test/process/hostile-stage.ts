import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { afterEach } from "vitest";
import { makeFolders, type Folders } from "./agent-command.js";
import { startHostileServer, type Answer, type HostileServer } from "./hostile-server.js";

/** Folders and a server for a test of this file, as often as it asks for them; gone after it. */
export function createStage(
  name: string,
): (answers: readonly Answer[]) => Promise<{ readonly at: Folders; readonly api: HostileServer }> {
  const open: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });
  return async (answers) => {
    const at = await makeFolders(name);
    open.push(() => at.remove());
    const api = await startHostileServer(answers);
    open.unshift(() => api.close());
    return { at, api };
  };
}

/** A file with the folders above it. */
export async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

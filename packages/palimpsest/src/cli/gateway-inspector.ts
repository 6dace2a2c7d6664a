import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { dataDirectory } from "../agent/session/session-folder.js";
import { gatewayPlace } from "../inspector/live/conversation-places.js";
import { findConversations } from "../inspector/live/find-conversations.js";
import { startInspector } from "../inspector/live/start-inspector.js";
import type { Terminal } from "./terminal.js";

export interface GatewayInspector {
  /** With the token in its fragment. */
  readonly url: string;
  /** Where the gateway has to record. */
  readonly recordFolder: string;
  /** Ends it, and removes a folder that was only for it. */
  close(): Promise<void>;
}

/** Shows what a gateway records: in a named folder, or in one of its own that is gone afterwards. */
export async function startGatewayInspector(
  named: string | undefined,
  env: Terminal["env"],
): Promise<GatewayInspector> {
  const recordFolder = named ?? (await mkdtemp(join(tmpdir(), "palimpsest-inspect-")));
  const forget = async (): Promise<void> => {
    if (named === undefined) await rm(recordFolder, { recursive: true, force: true });
  };
  try {
    const inspector = await startInspector({
      find: () => findConversations([gatewayPlace(recordFolder)]),
      dataDirectory: dataDirectory({ home: env["HOME"] || homedir(), env }),
      env,
    });
    return {
      url: inspector.url,
      recordFolder,
      async close() {
        await inspector.close();
        await forget();
      },
    };
  } catch (error) {
    await forget();
    throw error;
  }
}

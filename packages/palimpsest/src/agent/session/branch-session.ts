import { branches } from "@palimpsest/core/branches";
import { compaction } from "@palimpsest/core/compaction";
import { createConversation, TranscriptError, type Message } from "@palimpsest/core";
import { randomUUID } from "node:crypto";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { checkConversationId, isConversationId } from "../../stores/conversation-id.js";
import { createJsonlStore } from "../../stores/jsonl/store.js";
import { findMessage } from "./find-message.js";
import { createJsonState } from "./json-state.js";
import { projectFolder, sessionFolder } from "./session-folder.js";
import { modelOptions } from "./shared-conversation.js";

export interface BranchSessionOptions {
  readonly dataDirectory: string;
  readonly cwd: string;
  readonly model: string;
  /** The conversation that it comes from: it is read, and stays as it is, even while somebody else uses it. */
  readonly from: string;
  /** The id of the new one. */
  readonly to: string;
  /** Where it leaves the other one: a message, or the beginning of its uuid. Default: the end. */
  readonly at?: string;
}

/** What a session keeps beside its transcript, and a branch begins with. Outputs stay where the messages say they are. */
const STATE = ["todos.json", "skills.json", "plan.md", "session-memory"] as const;
const ORIGINS = "branched-from.json";
const MOST_ORIGINS = 20;

/**
 * A second stored conversation that goes on from an earlier one, to be resumed like any other. Rejects with a
 * `TranscriptError` where there is none, or no such message.
 */
export async function branchSession(options: BranchSessionOptions): Promise<void> {
  const { dataDirectory, cwd, model, from, to, at } = options;
  checkConversationId(to);
  const store = createJsonlStore({ directory: projectFolder(dataDirectory, cwd) });
  const history = async (): Promise<readonly Message[]> => (await store.readAll(from)).messages;
  const { messages } = await store.readLive(from);
  // Without a writer, so that nothing of what happens to it is stored.
  const original = createConversation(
    {
      ...modelOptions(model),
      compaction,
      sessionId: from,
      ids: { next: () => randomUUID() },
      branches: branches({ history }),
    },
    messages,
  );
  if (at !== undefined) {
    const found = findMessage(await history(), at);
    if (found.kind !== "found") throw new TranscriptError("not_found", found.message);
    const outcome = await original.rewind(found.uuid);
    if (outcome.kind === "failed") throw new TranscriptError("not_found", outcome.message);
  }
  const own = sessionFolder(dataDirectory, to);
  await copyState(sessionFolder(dataDirectory, from), own);
  const origins = createJsonState(join(own, ORIGINS), isConversationId);
  await origins.save([from, ...(await sessionOrigins(sessionFolder(dataDirectory, from)))]);
  await origins.idle();
  const writer = await store.open(to);
  try {
    await original.branch({ sessionId: to, writer });
  } finally {
    await writer.close();
  }
}

/** The conversations that one comes from, the nearest first: its messages may name files of theirs. Never rejects. */
export const sessionOrigins = async (folder: string): Promise<readonly string[]> =>
  (await createJsonState(join(folder, ORIGINS), isConversationId).load()).slice(0, MOST_ORIGINS);

async function copyState(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of STATE) {
    await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true }).catch(() => {});
  }
}

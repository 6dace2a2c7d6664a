import { dirname, join, resolve } from "node:path";
import {
  PalimpsestError,
  TranscriptError,
  type TranscriptContent,
  type TranscriptInfo,
  type TranscriptStore,
} from "@palimpsest/core";
import { checkPath } from "../check-path.js";
import { checkConversationId, isConversationId } from "../conversation-id.js";
import { fileSource, type ByteSource } from "./byte-source.js";
import { nodeFileSystem, systemCode, type FileSystem, type OpenFile } from "./file-system.js";
import { withIoErrors } from "./io-error.js";
import { acquireLock } from "./lock.js";
import { numberDamage, type PlacedContent } from "./read-forward.js";
import { readLive, readWhole } from "./read-live.js";
import { repairTail } from "./repair-tail.js";
import { createJsonlWriter } from "./writer.js";

/**
 * When an append is acknowledged. `process`: the system has the bytes, so they outlive the process but not
 * a power failure. `disk`: they are on the disk.
 */
export type Durability = "process" | "disk";

export interface JsonlStoreOptions {
  /** Made if it is not there, for its owner alone. */
  readonly directory: string;
  readonly durability?: Durability;
  readonly fileSystem?: FileSystem;
}

const EXTENSION = ".jsonl";

/** Conversations as files in the shape of Claude Code's transcripts: `<id>.jsonl`, one message a line, append-only. */
export function createJsonlStore(options: JsonlStoreOptions): TranscriptStore {
  if (typeof options !== "object" || options === null) {
    throw new PalimpsestError(
      "bad_option",
      'createJsonlStore: the options must be an object, such as `{ directory: "transcripts" }`',
    );
  }
  checkPath("createJsonlStore", options.directory, "`directory`");
  const { durability = "process", fileSystem = nodeFileSystem } = options;
  if (!["process", "disk"].includes(durability)) {
    throw new PalimpsestError("bad_option", "createJsonlStore: `durability` must be process or disk");
  }
  const directory = resolve(options.directory);
  const isSynced = durability === "disk";
  const pathOf = (id: string): string => join(directory, `${id}${EXTENSION}`);

  async function read(
    id: string,
    readContent: (source: ByteSource, end: number) => Promise<PlacedContent>,
  ): Promise<TranscriptContent> {
    checkConversationId(id);
    return withIoErrors(`Conversation ${id} could not be read from ${pathOf(id)}`, async () => {
      const file = await openForReading(fileSystem, pathOf(id));
      if (file === undefined) {
        throw new TranscriptError("not_found", `There is no conversation ${id} in ${directory}.`);
      }
      try {
        const source = fileSource(file);
        const { messages, damaged } = await readContent(source, (await file.stat()).size);
        return {
          messages: messages.map(({ message }) => message),
          damaged: await numberDamage(source, damaged),
        };
      } finally {
        await file.close();
      }
    });
  }

  return {
    async open(id) {
      checkConversationId(id);
      const path = pathOf(id);
      return withIoErrors(`Conversation ${id} could not be opened for writing at ${path}`, async () => {
        const made = await fileSystem.mkdir(directory, { recursive: true, mode: 0o700 });
        const lock = await acquireLock({ fileSystem, directory, conversationId: id });
        let file: OpenFile | undefined;
        try {
          file = await fileSystem.open(path, "a+", 0o600);
          const length = await repairTail(file);
          if (isSynced) await syncDirectories(fileSystem, directory, made);
          return createJsonlWriter({ conversationId: id, path, file, length, lock, isSynced });
        } catch (error) {
          await file?.close().catch(() => undefined);
          await lock.release();
          throw error;
        }
      });
    },
    readLive: (id) => read(id, readLive),
    readAll: (id) => read(id, readWhole),
    list: () =>
      withIoErrors(`The conversations in ${directory} could not be listed`, () =>
        listFiles(fileSystem, directory),
      ),
  };
}

async function openForReading(fileSystem: FileSystem, path: string): Promise<OpenFile | undefined> {
  try {
    return await fileSystem.open(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function listFiles(fileSystem: FileSystem, directory: string): Promise<readonly TranscriptInfo[]> {
  const names = await fileSystem.readdir(directory).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  });
  const ids = names.flatMap((name) => {
    const id = name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : "";
    return isConversationId(id) ? [id] : [];
  });
  const infos: TranscriptInfo[] = [];
  for (const id of ids) {
    const status = await fileSystem.stat(join(directory, `${id}${EXTENSION}`)).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (status?.isFile() === true) infos.push({ id, bytes: status.size, updatedAt: status.mtimeMs });
  }
  return infos.toSorted((left, right) => right.updatedAt - left.updatedAt);
}

/** A file is on the disk only once its name is: in the directory, and in those that had to be made for it. */
async function syncDirectories(
  fileSystem: FileSystem,
  directory: string,
  made: string | undefined,
): Promise<void> {
  // Windows opens no directories, and keeps their names without being asked.
  if (process.platform === "win32") return;
  const top = made === undefined ? directory : dirname(made);
  for (let path = directory; ; path = dirname(path)) {
    const handle = await fileSystem.open(path, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (path === top || path === dirname(path)) return;
  }
}

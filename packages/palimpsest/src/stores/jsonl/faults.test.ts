import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TranscriptError } from "@palimpsest/core";
import { conversationBuilder } from "@palimpsest/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFileSystem, type FileSystem, type OpenFile } from "./file-system.js";
import { createJsonlStore } from "./store.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-faults-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const systemError = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

type Calls = Partial<{
  readonly [Name in "write" | "truncate" | "datasync" | "sync" | "close" | "read"]: OpenFile[Name];
}>;

/** The real file system, with some calls of files replaced. */
function fileSystemWith(replace: (file: OpenFile, path: string) => Calls): FileSystem {
  return {
    ...nodeFileSystem,
    open: async (path, flags, mode) => {
      const file = await nodeFileSystem.open(path, flags, mode);
      return {
        read: (...parameters) => file.read(...parameters),
        write: (...parameters) => file.write(...parameters),
        truncate: (length) => file.truncate(length),
        datasync: () => file.datasync(),
        sync: () => file.sync(),
        stat: () => file.stat(),
        close: () => file.close(),
        ...replace(file, path),
      };
    },
  };
}

async function rejection(promise: Promise<unknown>): Promise<TranscriptError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TranscriptError);
  return error as TranscriptError;
}

const content = (): Promise<string> => readFile(join(directory, "c.jsonl"), "utf8");

describe("a write that fails", () => {
  it("half way leaves the file as it was and the writer usable", async () => {
    let mode: "good" | "short" | "full" = "good";
    const fileSystem = fileSystemWith((file) => ({
      write: async (buffer, offset, length) => {
        if (mode === "full") throw systemError("ENOSPC");
        if (mode === "good") return file.write(buffer, offset, length);
        mode = "full";
        return file.write(buffer, offset, Math.floor(length / 2));
      },
    }));
    const talk = conversationBuilder();
    const [one, two, three] = [talk.user("one"), talk.user("two"), talk.user("three")];
    const writer = await createJsonlStore({ directory, fileSystem }).open("c");
    await writer.append([one]);
    const before = await content();
    mode = "short";
    const [failed, alsoFailed] = [rejection(writer.append([two])), rejection(writer.append([three]))];
    expect(await failed).toMatchObject({ code: "io", cause: { code: "ENOSPC" } });
    expect((await failed).message).toMatch(/could not be written to .*c\.jsonl.*make room on the disk/);
    expect(await alsoFailed).toMatchObject({ code: "io" });
    expect(await content()).toBe(before);
    mode = "good";
    await writer.append([two, three]);
    await writer.close();
    expect((await createJsonlStore({ directory }).readAll("c")).messages).toEqual([one, two, three]);
  });

  it("and cannot be cut off is cut off before the next", async () => {
    let isBroken = false;
    const fileSystem = fileSystemWith((file) => ({
      write: async (buffer, offset, length) => {
        if (!isBroken) return file.write(buffer, offset, length);
        await file.write(buffer, offset, length - 3);
        throw systemError("EIO");
      },
      truncate: async (length) => {
        if (isBroken) throw systemError("EIO");
        await file.truncate(length);
      },
    }));
    const talk = conversationBuilder();
    const [one, two] = [talk.user("one"), talk.user("two")];
    const writer = await createJsonlStore({ directory, fileSystem }).open("c");
    await writer.append([one]);
    isBroken = true;
    await rejection(writer.append([two]));
    await rejection(writer.append([two]));
    isBroken = false;
    await writer.append([two]);
    await writer.close();
    expect(await createJsonlStore({ directory }).readAll("c")).toEqual({ messages: [one, two], damaged: [] });
  });

  it("short is continued, and counts as one batch", async () => {
    const fileSystem = fileSystemWith((file) => ({
      write: (buffer, offset, length) => file.write(buffer, offset, Math.min(length, 100)),
    }));
    const talk = conversationBuilder();
    const messages = [talk.user("x".repeat(1000)), talk.user("y")];
    const writer = await createJsonlStore({ directory, fileSystem }).open("c");
    await writer.append(messages);
    await writer.close();
    expect((await createJsonlStore({ directory }).readAll("c")).messages).toEqual(messages);
  });

  it("is one call for a batch of any size", async () => {
    let writes = 0;
    const fileSystem = fileSystemWith((file) => ({
      write: (...parameters) => {
        writes += 1;
        return file.write(...parameters);
      },
    }));
    const talk = conversationBuilder();
    const writer = await createJsonlStore({ directory, fileSystem }).open("c");
    await writer.append(Array.from({ length: 500 }, () => talk.user("x".repeat(5000))));
    await writer.append([]);
    expect(writes).toBe(1);
    await writer.close();
  });
});

describe("durability disk", () => {
  /** Records what happens to the conversation's file and its directory, in order. */
  function recording(events: string[], fail: { datasync: boolean } = { datasync: false }): FileSystem {
    return fileSystemWith((file, path) => ({
      write: async (...parameters) => {
        const result = await file.write(...parameters);
        events.push("written");
        return result;
      },
      datasync: async () => {
        if (fail.datasync) throw systemError("EIO");
        await file.datasync();
        events.push("synced");
      },
      sync: async () => {
        await file.sync();
        events.push(`synced ${path === directory ? "directory" : path.slice(directory.length)}`);
      },
    }));
  }

  it("syncs every batch before it is acknowledged, and the directory before the first", async () => {
    const events: string[] = [];
    const talk = conversationBuilder();
    const store = createJsonlStore({ directory, durability: "disk", fileSystem: recording(events) });
    const writer = await store.open("c");
    for (const text of ["one", "two"]) {
      await writer.append([talk.user(text)]);
      events.push("acknowledged");
    }
    await writer.close();
    expect(events).toEqual([
      "synced directory",
      "written",
      "synced",
      "acknowledged",
      "written",
      "synced",
      "acknowledged",
    ]);
  });

  it("syncs the directories that had to be made, up to the one that was there", async () => {
    const events: string[] = [];
    const store = createJsonlStore({
      directory: join(directory, "a", "b"),
      durability: "disk",
      fileSystem: recording(events),
    });
    await (await store.open("c")).close();
    expect(events).toEqual(["synced /a/b", "synced /a", "synced directory"]);
  });

  it("that cannot be had rejects, takes the batch back, and leaves the writer usable", async () => {
    const fail = { datasync: false };
    const talk = conversationBuilder();
    const [one, two] = [talk.user("one"), talk.user("two")];
    const store = createJsonlStore({ directory, durability: "disk", fileSystem: recording([], fail) });
    const writer = await store.open("c");
    await writer.append([one]);
    fail.datasync = true;
    expect(await rejection(writer.append([two]))).toMatchObject({ code: "io", cause: { code: "EIO" } });
    expect((await store.readAll("c")).messages).toEqual([one]);
    fail.datasync = false;
    await writer.append([two]);
    await writer.close();
    expect((await store.readAll("c")).messages).toEqual([one, two]);
  });

  it("is not paid for with durability process", async () => {
    const events: string[] = [];
    const writer = await createJsonlStore({ directory, fileSystem: recording(events) }).open("c");
    await writer.append([conversationBuilder().user("one")]);
    await writer.close();
    expect(events).toEqual(["written"]);
  });
});

describe("closing", () => {
  it("frees the conversation even where the file cannot be closed", async () => {
    const fileSystem = fileSystemWith((file) => ({
      close: async () => {
        await file.close();
        throw systemError("EIO");
      },
    }));
    const writer = await createJsonlStore({ directory, fileSystem }).open("c");
    expect(await rejection(writer.close())).toMatchObject({ code: "io" });
    await (await createJsonlStore({ directory }).open("c")).close();
  });

  it("an open that fails frees the conversation", async () => {
    const fileSystem = fileSystemWith((file) => ({
      read: () => Promise.reject(systemError("EIO")),
      close: () => file.close(),
    }));
    const good = await createJsonlStore({ directory }).open("c");
    await good.append([conversationBuilder().user("one")]);
    await good.close();
    expect(await rejection(createJsonlStore({ directory, fileSystem }).open("c"))).toMatchObject({
      code: "io",
    });
    await (await createJsonlStore({ directory }).open("c")).close();
  });
});

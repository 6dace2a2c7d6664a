// A store of your own: rows of a table here, a database in yours. It passes the suite that every store has to pass.
import { TranscriptError } from "@palimpsest/core";
import { decodeEntry, decodeLine, encodeLine, linkLive } from "@palimpsest/core/engine";
import { transcriptStoreContract } from "@palimpsest/core/testing";

function createTableStore(table = new Map()) {
  const refuse = (code, message) => {
    throw new TranscriptError(code, message);
  };
  const check = (id) =>
    /^[A-Za-z0-9][\w.-]{0,127}$/.test(id) ||
    refuse("bad_id", `${JSON.stringify(id)} cannot name a conversation.`);
  const messagesOf = (id) => {
    check(id);
    const { lines } = table.get(id) ?? refuse("not_found", `There is no conversation ${id}.`);
    return lines.map(decodeLine).flatMap(({ message }) => message ?? []);
  };
  const encode = (message) => {
    try {
      if (decodeEntry(message).kind !== "damaged") return encodeLine(message);
    } catch {
      // It is not JSON: refused as well.
    }
    return refuse("bad_message", "A message could not be read back; mend it and append its batch again.");
  };
  return {
    async open(id) {
      check(id);
      const row = table.get(id) ?? { lines: [], updatedAt: Date.now(), isOpen: false };
      if (row.isOpen) refuse("locked", `Conversation ${id} is being written by another writer.`);
      row.isOpen = true;
      table.set(id, row);
      let isClosed = false;
      return {
        async append(messages) {
          if (isClosed) refuse("closed", `Conversation ${id} was closed; open it again to append.`);
          row.lines.push(...messages.map(encode)); // the whole batch, or nothing
          row.updatedAt = Date.now();
        },
        async close() {
          if (!isClosed) row.isOpen = false;
          isClosed = true;
        },
      };
    },
    async readAll(id) {
      return { messages: messagesOf(id), damaged: [] };
    },
    async readLive(id) {
      const { messages, billed = [] } = linkLive(messagesOf(id));
      return { messages: [...messages, ...billed], damaged: [] };
    },
    async list() {
      return [...table]
        .map(([id, { lines, updatedAt }]) => ({ id, updatedAt, bytes: Buffer.byteLength(lines.join()) }))
        .toSorted((left, right) => right.updatedAt - left.updatedAt);
    },
  };
}

for (const requirement of transcriptStoreContract) {
  await requirement.run(() => createTableStore());
  console.log(`ok  ${requirement.name}`);
}

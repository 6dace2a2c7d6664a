const store = (file) => `packages/palimpsest/src/stores/${file}`;

export const storeFaults = [
  {
    name: "acknowledged-before-it-is-written",
    invariant: "no acknowledged message is lost to kill -9; every file loads",
    runs: ["store-crash"],
    edits: [
      {
        file: store("jsonl/writer.ts"),
        from: "queue = stored.catch(() => undefined);\n      return stored;",
        to: "queue = stored.catch(() => undefined);",
      },
    ],
  },
  {
    name: "torn-line-stays",
    invariant: "no acknowledged message is lost to kill -9; every file loads",
    runs: ["store-crash"],
    edits: [
      {
        file: store("jsonl/repair-tail.ts"),
        from: "const length = line?.start ?? 0;",
        to: "const length = line?.end ?? 0;",
      },
    ],
  },
  {
    name: "lock-of-another-is-removed",
    invariant: "no acknowledged message is lost to kill -9; every file loads",
    runs: ["store-lock"],
    edits: [
      {
        file: store("jsonl/lock.ts"),
        from: "if (present?.nonce === stale.nonce) await removeFile(fileSystem, path);",
        to: "if (present !== undefined) await removeFile(fileSystem, path);",
      },
    ],
  },
  {
    name: "conversation-does-not-wait-for-the-store",
    invariant: "no acknowledged message is lost to kill -9; every file loads",
    runs: ["conversation-chaos"],
    edits: [
      {
        file: "packages/core/src/engine/conversation/run.ts",
        from: "if (stored.length > 0) await this.#store(stored);",
        to: "if (stored.length > 0) void this.#store(stored);",
      },
    ],
  },
  {
    name: "append-checks-neither-lease-nor-place",
    invariant:
      "workers, backends, servers and wires killed: no acknowledged entry lost or twice, never two writers",
    runs: ["postgres-crash"],
    edits: [
      {
        file: store("postgres/migrations/append-batch.ts"),
        from: "c.id = p_conversation and c.owner = p_owner and c.generation = p_generation\n      and c.head = p_head and c.expires > clock_timestamp()",
        to: "c.id = p_conversation",
      },
    ],
  },
  {
    name: "generation-does-not-grow",
    invariant:
      "workers, backends, servers and wires killed: no acknowledged entry lost or twice, never two writers",
    runs: ["postgres-crash"],
    edits: [
      {
        file: store("postgres/migrations/tables.ts"),
        from: "set owner = p_owner, generation = c.generation + 1, interrupted = false",
        to: "set owner = p_owner, generation = greatest(c.generation, 1), interrupted = false",
      },
    ],
  },
  {
    name: "pieces-of-a-long-line-in-the-wrong-order",
    invariant: "what is resumed from the end of a file equals what reading all of it gives",
    runs: ["invariants"],
    edits: [
      {
        file: store("jsonl/read-backward.ts"),
        from: "Buffer.concat([first, ...laterFirst.toReversed()])",
        to: "Buffer.concat([first, ...laterFirst])",
      },
    ],
  },
  {
    name: "going-back-over-a-boundary-is-not-seen",
    invariant: "what is resumed from the end of a file equals what reading all of it gives",
    runs: ["lives"],
    edits: [
      {
        file: store("jsonl/read-live.ts"),
        from: 'undoneBoundary(message) === uuid || (isRewound(message) && !later.has(message.parentUuid ?? ""));',
        to: "undoneBoundary(message) === uuid;",
      },
      {
        file: store("jsonl/read-live.ts"),
        from: "  const later = new Set(since.messages.map(({ message }) => message.uuid));\n",
        to: "",
      },
      { file: store("jsonl/read-live.ts"), from: "import { isRewound, linkLive,", to: "import { linkLive," },
    ],
  },
];

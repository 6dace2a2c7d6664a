import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { RecordingError } from "../../replay/readers/recording-error.js";
import type { Conversations, OpenConversation } from "../api/conversations.js";
import type { EventLog } from "../api/event-log.js";
import type { ConversationFigures, ListedConversation, UndoResult } from "../contract.js";
import { indexConversation, type ConversationIndex } from "../index/conversation-index.js";
import { openIndex, readSummary, removeOldIndexes } from "../index/index-file.js";
import { createFilesReader, createMessageReader } from "../index/message-reader.js";
import { withSubagents } from "../index/with-subagents.js";
import { factsOf, type FoundConversation } from "./find-conversations.js";
import type { LiveConversation } from "./live-conversation.js";
import { readHead } from "./read-head.js";
import { recordingAgent } from "./recording-agent.js";

export interface LibraryOptions {
  /** What is there; asked again and again. */
  readonly find: () => Promise<readonly FoundConversation[]>;
  /** Where indexes are kept. */
  readonly indexFolder: string;
  readonly events: EventLog;
  readonly now: () => number;
  /** Those that go on in this process now. */
  readonly live?: (() => readonly LiveConversation[]) | undefined;
}

/** The conversations in files: listed at once, indexed one after the other, and again when they grow. */
export interface Library extends Conversations {
  /** Looks for what is there and what has changed since, and indexes what is not indexed, the newest first, until all are. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  readonly id: string;
  readonly path: string;
  agent: string;
  bytes: number;
  modified: number;
  title: string | undefined;
  figures: ConversationFigures | undefined;
  state: ListedConversation["state"];
  failure: string | undefined;
  version: number;
  /** When it was last seen to grow. */
  grewAt: number;
  /** Not indexed again before that by itself. */
  restsUntil: number;
  opened: OpenConversation | undefined;
  /** While it is opened: the index of each of its files by itself. */
  indexes: ReadonlyMap<string, ConversationIndex>;
  opening: Promise<OpenConversation> | undefined;
}

/** Messages of conversations whose indexes are in memory at the same time. */
const MOST_MESSAGES = 120_000;
/** How often it is looked for conversations that are new, and how long one that has grown is looked at in between. */
const EVERYWHERE_MS = 5000;
const WARM_MS = 10 * 60 * 1000;
/** What taking in what is new cost, so many times over passes before that is done again. */
const REST = 4;
/** Whatever grew less long ago goes on. */
const LIVE_MS = 2 * 60 * 1000;

export function createLibrary(options: LibraryOptions): Library {
  return new FileLibrary(options);
}

class FileLibrary implements Library {
  readonly #options: LibraryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #stop = new AbortController();
  #found: Promise<void> | undefined;
  #indexing: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LibraryOptions) {
    this.#options = options;
    void removeOldIndexes(options.indexFolder, options.now());
  }

  async list(): Promise<readonly ListedConversation[]> {
    await (this.#found ??= this.#find());
    return [...this.#entries.values()]
      .toSorted((a, b) => b.modified - a.modified)
      .map((entry) => this.#listed(entry));
  }

  async open(id: string): Promise<OpenConversation | undefined> {
    await (this.#found ??= this.#find());
    const entry = this.#entries.get(id);
    return entry === undefined ? undefined : this.#openEntry(entry);
  }

  async files(): Promise<readonly string[]> {
    await (this.#found ??= this.#find());
    return [...this.#entries.values()].toSorted((a, b) => b.modified - a.modified).map(({ path }) => path);
  }

  async undo(id: string): Promise<UndoResult | undefined> {
    await (this.#found ??= this.#find());
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    const live = this.#liveOf(entry);
    if (live !== undefined) return live.undo();
    return { undone: false, message: "Only a conversation of a running agent of ours can be changed." };
  }

  async refresh(): Promise<void> {
    const now = this.#options.now();
    if (now - this.#lookedAt >= EVERYWHERE_MS) {
      this.#lookedAt = now;
      this.#found = this.#find();
      await this.#found;
    } else await this.#lookAtWarm(now);
    await (this.#indexing ??= this.#indexAll().finally(() => (this.#indexing = undefined)));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#indexing?.catch(() => undefined);
  }

  async #find(): Promise<void> {
    const found = await this.#options.find();
    let isChanged = false;
    for (const one of found) isChanged = (await this.#note(one)) || isChanged;
    const paths = new Set(found.map(({ file }) => file));
    for (const [id, { path, version }] of this.#entries) {
      if (paths.has(path)) continue;
      this.#entries.delete(id);
      isChanged = true;
      // Whoever looks at it asks again, and hears that it is gone.
      this.#options.events.add({ type: "conversation", id, version: version + 1 });
    }
    if (isChanged) this.#options.events.add({ type: "conversations" });
  }

  /** Those that are shown or have grown lately: they are looked at more often than all. */
  async #lookAtWarm(now: number): Promise<void> {
    const warm = [...this.#entries.values()].filter(
      (entry) => entry.opened !== undefined || now - entry.grewAt < WARM_MS,
    );
    const changed = await Promise.all(
      warm.map(async ({ path, agent }) => {
        const facts = await factsOf(path, agent);
        return facts !== undefined && this.#note(facts);
      }),
    );
    if (changed.includes(true)) this.#options.events.add({ type: "conversations" });
  }

  async #note({ file, agent, bytes, modified }: FoundConversation): Promise<boolean> {
    const id = createHash("sha256").update(file).digest("base64url").slice(0, 16);
    const known = this.#entries.get(id);
    if (known?.bytes === bytes && known.modified === modified) return false;
    if (known !== undefined) {
      Object.assign(known, { bytes, modified, grewAt: this.#options.now() });
      if (known.state === "failed" || known.state === "indexed") known.state = "not-indexed";
      return true;
    }
    const summary = await readSummary(this.#options.indexFolder, file);
    const head = summary === undefined || agent === "" ? await readHead(file) : undefined;
    this.#entries.set(id, {
      id,
      path: file,
      agent: agent || (head?.agent ?? ""),
      bytes,
      modified,
      title: summary?.title ?? head?.title,
      figures: summary?.figures,
      state: summary === undefined ? "not-indexed" : "indexed",
      failure: undefined,
      version: 1,
      grewAt: modified,
      restsUntil: 0,
      opened: undefined,
      indexes: new Map(),
      opening: undefined,
    });
    return true;
  }

  async #indexAll(): Promise<void> {
    for (;;) {
      const next = [...this.#entries.values()]
        .filter(({ state, restsUntil }) => state === "not-indexed" && restsUntil <= this.#options.now())
        .toSorted((a, b) => b.modified - a.modified)[0];
      if (next === undefined || this.#stop.signal.aborted) return;
      await this.#openEntry(next).catch((error: unknown) => {
        if (!(error instanceof RecordingError) && !this.#stop.signal.aborted) throw error;
      });
    }
  }

  async #openEntry(entry: Entry): Promise<OpenConversation> {
    const { opened } = entry;
    const now = await factsOf(entry.path, entry.agent);
    const isSame = now?.bytes === entry.bytes && now.modified === entry.modified;
    if (opened !== undefined && isSame && entry.state === "indexed") {
      this.#touch(entry);
      return { ...opened, listed: this.#listed(entry), ...this.#liveFacts(entry) };
    }
    // What grows all the time is shown as it was a moment ago.
    if (opened !== undefined && entry.state !== "failed" && this.#options.now() < entry.restsUntil) {
      return { ...opened, listed: this.#listed(entry), ...this.#liveFacts(entry) };
    }
    entry.opening ??= this.#index(entry).finally(() => (entry.opening = undefined));
    return entry.opening;
  }

  async #index(entry: Entry): Promise<OpenConversation> {
    const { events } = this.#options;
    const { id, path } = entry;
    const begun = this.#options.now();
    const isFirst = entry.opened === undefined;
    entry.state = "indexing";
    try {
      const facts = await factsOf(path, entry.agent);
      if (facts === undefined) throw new RecordingError("unreadable", "cannot be read, or is empty");
      const indexes = await this.#indexFiles(entry, facts);
      const ended = this.#options.now();
      // Reading all of it says nothing of what reading on costs.
      const canGrow = indexes.get(path)?.scanned.next !== undefined;
      entry.restsUntil = isFirst && canGrow ? 0 : ended + REST * (ended - begun);
      this.#keep(entry, indexes, facts);
      events.add({ type: "conversation", id, version: entry.version });
      return entry.opened as unknown as OpenConversation;
    } catch (error) {
      entry.state = "failed";
      entry.failure = error instanceof Error ? `The file ${error.message}.` : "The file cannot be read.";
      Object.assign(entry, closed);
      events.add({ type: "conversations" });
      throw error;
    }
  }

  /** The files of a conversation, its own first: each is read by itself, and where it was read before from there on. */
  async #indexFiles(
    { id, path, indexes: known }: Entry,
    { subagents }: FoundConversation,
  ): Promise<ReadonlyMap<string, ConversationIndex>> {
    const { events, indexFolder: folder } = this.#options;
    const { signal } = this.#stop;
    const indexes = new Map([
      [
        path,
        await openIndex(path, {
          folder,
          known: known.get(path),
          signal,
          onProgress: (bytesRead, bytes) =>
            events.add({ type: "indexing", id, bytesRead: Math.round(bytesRead), bytes }),
        }),
      ],
    ]);
    for (const { file } of subagents) {
      try {
        indexes.set(file, await openIndex(file, { folder, known: known.get(file), signal }));
      } catch (error) {
        // One that has said nothing yet, or whose file is damaged, does not keep the rest from being shown.
        if (!(error instanceof RecordingError)) throw error;
      }
    }
    return indexes;
  }

  #keep(
    entry: Entry,
    indexes: ReadonlyMap<string, ConversationIndex>,
    { bytes, modified, subagents }: FoundConversation,
  ): void {
    const { id, path } = entry;
    const own = indexes.get(path) as ConversationIndex;
    const lanes = subagents.flatMap(({ file, agent }) => {
      const scanned = indexes.get(file)?.scanned;
      return scanned === undefined ? [] : [{ agent, file, scanned }];
    });
    const index = lanes.length === 0 ? own : indexConversation(withSubagents(own.scanned, lanes));
    const files = [{ file: path, scanned: own.scanned }, ...lanes].map(({ file, scanned }) => ({
      path: file,
      size: scanned.size,
      isWhole: scanned.isWhole,
    }));
    Object.assign(entry, {
      bytes,
      modified,
      indexes,
      state: "indexed",
      failure: undefined,
      title: index.title || entry.title,
      figures: index.figures,
      version: entry.version + (entry.opened === undefined ? 0 : 1),
    } satisfies Partial<Entry>);
    if (entry.agent === "") {
      entry.agent = recordingAgent(path, { format: index.scanned.format, lines: [] });
    }
    entry.opened = {
      listed: this.#listed(entry),
      version: entry.version,
      index,
      reader: createFilesReader(files.map((file) => createMessageReader(file.path, file))),
      path,
      files,
      ...this.#liveFacts(entry),
    };
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    this.#makeRoom(entry);
  }

  #liveOf({ path }: Entry): LiveConversation | undefined {
    return this.#options.live?.().find(({ file }) => file === path);
  }

  /** What the program that holds the conversation tells, where that is this one. */
  #liveFacts(entry: Entry): Pick<OpenConversation, "canUndo" | "thresholds" | "remembered"> {
    const live = this.#liveOf(entry);
    if (live === undefined) return { canUndo: false, thresholds: [] };
    return {
      canUndo: (entry.figures?.compactions ?? 0) > 0,
      thresholds: live.thresholds(),
      remembered: (response) => live.requests.find(response),
    };
  }

  /** What was opened last is the last of the map. */
  #touch(entry: Entry): void {
    this.#entries.delete(entry.id);
    this.#entries.set(entry.id, entry);
  }

  #makeRoom(spared: Entry): void {
    const open = [...this.#entries.values()].filter(({ opened }) => opened !== undefined);
    let messages = open.reduce((sum, { opened }) => sum + (opened?.index.messages.length ?? 0), 0);
    for (const entry of open) {
      if (messages <= MOST_MESSAGES) return;
      if (entry === spared) continue;
      messages -= entry.opened?.index.messages.length ?? 0;
      Object.assign(entry, closed);
    }
  }

  #listed(entry: Entry): ListedConversation {
    const { id, title = "", agent, path, bytes, modified, state, failure, figures, grewAt } = entry;
    return {
      id,
      title,
      agent,
      place: shownPlace(path),
      updatedAt: new Date(modified).toISOString(),
      bytes,
      state,
      ...(failure === undefined ? {} : { failure }),
      ...(figures === undefined ? {} : { figures }),
      live: this.#liveOf(entry) !== undefined || this.#options.now() - grewAt < LIVE_MS,
    };
  }
}

/** Nothing of it is in memory. */
const closed: Pick<Entry, "opened" | "indexes"> = { opened: undefined, indexes: new Map() };

function shownPlace(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

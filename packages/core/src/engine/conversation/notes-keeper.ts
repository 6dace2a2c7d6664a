import { errorText } from "../../messages/error-text.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { Message } from "../../messages/message.js";
import { extractNotes, type ExtractionOutcome } from "../notes/extract-notes.js";
import { writeExtractiveNotes } from "../notes/extractive-notes.js";
import { commonEditTool, type NotesEditTool } from "../notes/notes-edit.js";
import { createNotesRecord, lastNotesRecord } from "../notes/notes-record.js";
import { summaryFromNotes, type NotesSummary } from "../notes/notes-summary.js";
import { notesTemplate } from "../notes/template.js";
import { isExtractionDue } from "../notes/trigger.js";
import { createMemoryNotesStore, type NotesStore } from "../ports/notes-store.js";
import { forkParameters } from "../prompt/fork-parameters.js";
import { untilAborted } from "../ports/until-aborted.js";
import { estimatorOf, originOf, thresholdsOf } from "./facts.js";
import type { Running } from "./stages.js";
import type { NotesKeeping, NotesStage } from "./stages.js";
import { watchFork } from "./watch-fork.js";

interface Update {
  readonly since: number;
  /** The notes are written, or the update has failed. */
  readonly written: Promise<void>;
}

export interface KeepNotesOptions {
  /** Where the notes are kept. Default: in memory. */
  readonly store?: NotesStore;
  /** The host's own edit tool, which the notes are written with. Default: one named `Edit`. */
  readonly editTool?: NotesEditTool;
}

/** Notes along the way, for conversations with the setting `notes` on. */
export const keepNotes = ({ store, editTool }: KeepNotesOptions = {}): NotesStage => ({
  create: (running, inTurn) =>
    new NotesKeeper(running, {
      store: store ?? createMemoryNotesStore(),
      tool: editTool ?? commonEditTool(),
      inTurn,
    }),
  branch: (notes) =>
    keepNotes({
      store: createMemoryNotesStore(store?.path, notes),
      ...(editTool === undefined ? {} : { editTool }),
    }),
});

type InTurn = (task: () => Promise<void>) => Promise<void>;

/** Keeps the notes of a conversation in the background, one update at a time. It never holds anybody up. */
class NotesKeeper implements NotesKeeping {
  readonly #conversation: Running;
  readonly #store: NotesStore;
  readonly #tool: NotesEditTool;
  /** Runs something in turn with everything else that changes the conversation. */
  readonly #inTurn: InTurn;
  #running: Update | undefined;
  /** Changes when somebody else takes the notes over: an update that began before no longer counts. */
  #generation = 0;
  /** Records that wait for their turn. */
  #recording: Promise<void> = Promise.resolve();
  #tokensAtLast: number | undefined;
  #coveredUuid: string | undefined;
  #toolCalls = 0;
  #hasTurnEnded = false;
  #hadImages = false;

  constructor(
    conversation: Running,
    {
      store,
      tool,
      inTurn,
    }: { readonly store: NotesStore; readonly tool: NotesEditTool; readonly inTurn: InTurn },
  ) {
    this.#conversation = conversation;
    this.#store = store;
    this.#tool = tool;
    this.#inTurn = inTurn;
    this.#noteRecorded();
  }

  read = async (): Promise<string> => (await this.#store.read()) ?? notesTemplate;

  edit = async (notes: string): Promise<void> => {
    this.#generation += 1;
    await this.#store.write(notes);
  };

  async reset(): Promise<void> {
    this.#generation += 1;
    await this.#store.write(notesTemplate);
    this.#coveredUuid = undefined;
    this.#tokensAtLast = undefined;
  }

  idle = async (): Promise<void> => {
    while (this.#running !== undefined) await this.#running.written;
    await this.#recording;
  };

  noteResponse({ content }: ModelResponse): void {
    const calls = content.filter(({ type }) => type === "tool_use").length;
    this.#toolCalls += calls;
    this.#hasTurnEnded = calls === 0;
    this.#hadImages = this.#hasImages();
  }

  /** The context is another one: growth counts from here, and what the notes covered may be gone. */
  noteCompaction(): void {
    this.#tokensAtLast = this.#conversation.state.context.size.tokens;
    this.#toolCalls = 0;
  }

  noteRewind(): void {
    this.#generation += 1;
    this.#noteRecorded();
    this.#toolCalls = 0;
  }

  #noteRecorded(): void {
    const recorded = lastNotesRecord(this.#conversation.state.context.live);
    this.#tokensAtLast = recorded?.tokens;
    this.#coveredUuid = recorded?.coveredUuid;
  }

  #hasImages(): boolean {
    return this.#conversation.state.context.media.totals.images > 0;
  }

  /** Starts an update where one is due and none is under way. */
  startIfDue(): void {
    const { setup, state } = this.#conversation;
    const { settings, clock } = setup;
    // With the first picture the API drops its cache: the conversation's own request goes first.
    if (this.#hasImages() !== this.#hadImages) return;
    if (this.#running !== undefined && clock.now() - this.#running.since < settings.notesDeadMs) return;
    const { tokens } = state.context.size;
    // Compacted or cleared since, perhaps by another process: growth counts from the smaller context.
    if (this.#tokensAtLast !== undefined) this.#tokensAtLast = Math.min(this.#tokensAtLast, tokens);
    const isDue = isExtractionDue(
      {
        tokens,
        tokensAtLast: this.#tokensAtLast,
        toolCallsSince: this.#toolCalls,
        hasTurnEnded: this.#hasTurnEnded,
        hasOpenCalls: state.context.index.hasOpenCalls,
      },
      settings,
    );
    if (!isDue || !this.#canWrite()) return;
    if (this.#running !== undefined) this.#generation += 1;
    const running: Update = {
      since: clock.now(),
      written: this.#update().finally(() => {
        if (this.#running === running) this.#running = undefined;
      }),
    };
    this.#running = running;
  }

  /** Before the first answered request no fork can be made: what a model wrote is not written over meanwhile. */
  #canWrite(): boolean {
    const { setup, state } = this.#conversation;
    return setup.options.provider === undefined || state.cache.answered !== undefined;
  }

  async #update(): Promise<void> {
    const conversation = this.#conversation;
    const { clock, events } = conversation.setup;
    const covered = conversation.state.context.last?.uuid;
    const { tokens } = conversation.state.context.size;
    const started = clock.now();
    const generation = this.#generation;
    const isCurrent = (): boolean => generation === this.#generation;
    this.#tokensAtLast = tokens;
    this.#toolCalls = 0;
    const outcome = await this.#write({
      ...this.#store,
      write: async (notes) => {
        if (!isCurrent()) throw new Error("the notes were taken over meanwhile");
        await this.#store.write(notes);
      },
    });
    const { calls } = outcome;
    conversation.ledger.add(calls);
    // Not awaited: a compaction that waits for the notes has its turn before this.
    this.#recording = this.#inTurn(() => conversation.ledger.save());
    const message = outcome.kind === "failed" ? { message: outcome.message } : {};
    events.emit("notes_extracted", {
      outcome: outcome.kind,
      edits: outcome.kind === "updated" ? outcome.edits : 0,
      refused: outcome.kind === "failed" ? 0 : outcome.refused,
      calls,
      durationMs: clock.now() - started,
      ...message,
    });
    if (outcome.kind === "failed" || covered === undefined || !isCurrent()) return;
    // Compacted, or gone back to before: what the notes cover is no longer there.
    const isThere = (): boolean => conversation.state.context.live.some(({ uuid }) => uuid === covered);
    if (!isThere()) return;
    this.#coveredUuid = covered;
    this.#recording = this.#inTurn(async () => {
      if (!isThere() || !isCurrent()) return;
      const record = createNotesRecord(originOf(conversation), { coveredUuid: covered, tokens });
      await conversation.commit({ kind: "notes-written", record });
    }).catch(() => {});
  }

  async #write(store: NotesStore): Promise<ExtractionOutcome> {
    const conversation = this.#conversation;
    const { setup, state } = conversation;
    const { settings, source, clock, events } = setup;
    const { provider } = setup.options;
    const params = state.cache.answered?.params;
    const hasTool = params?.tools.some(({ name }) => name === this.#tool.name) === true;
    // Where the caller's format keeps a fork off the cache, each update would be paid in full.
    const isShared = params !== undefined && forkParameters(params.parameters, "calls").isKeySame;
    if (provider === undefined || !isShared || !hasTool) return this.#writeExtractively(store);
    return extractNotes({
      provider,
      source,
      params,
      messages: state.context.messages,
      store,
      tool: this.#tool,
      estimator: estimatorOf(conversation),
      settings,
      now: () => clock.now(),
      onRequest: (fork) => watchFork(setup, fork),
      onRetry: (retry) => events.emit("summary_retried", { source: "session_memory", ...retry }),
      room: thresholdsOf(conversation).contextWindow - state.context.size.padded,
    });
  }

  async #writeExtractively(store: NotesStore): Promise<ExtractionOutcome> {
    const { setup, state } = this.#conversation;
    const estimator = estimatorOf(this.#conversation);
    try {
      const { settings } = setup;
      await store.write(writeExtractiveNotes(state.context.live, { estimator, settings }));
      return { kind: "updated", edits: 1, refused: 0, calls: [] };
    } catch (error) {
      return { kind: "failed", message: errorText(error), calls: [] };
    }
  }

  async summary(live: readonly Message[], signal?: AbortSignal): Promise<NotesSummary> {
    const { settings, clock, options } = this.#conversation.setup;
    const running = this.#running;
    const isRunning = running !== undefined && clock.now() - running.since < settings.notesDeadMs;
    if (isRunning && options.timer !== undefined) await this.#within(running.written, signal);
    const notes = await this.#within(this.#store.read(), signal);
    return summaryFromNotes({
      live,
      notes,
      path: this.#store.path,
      coveredUuid: this.#coveredUuid,
      estimator: estimatorOf(this.#conversation),
      settings,
      transcriptPath: options.transcriptPath,
    });
  }

  /** What comes of it in time; undefined where it takes too long or the caller is called off. */
  async #within<T>(task: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
    const { options, settings } = this.#conversation.setup;
    const { timer } = options;
    let stop = (): void => {};
    const tasks: Promise<T | undefined>[] = [task];
    if (timer !== undefined) {
      const late = new Promise<undefined>((resolve) => {
        stop = timer.after(settings.notesWaitMs, () => resolve(undefined));
      });
      tasks.push(late);
    }
    try {
      return await untilAborted(Promise.race(tasks), signal);
    } catch {
      return undefined;
    } finally {
      stop();
    }
  }
}

import type { Clock } from "../../messages/construct.js";
import type { Attachment, Message } from "../../messages/message.js";
import { createCompactableTools, type CompactableTools } from "../tools/compactable-tools.js";
import type { EventEmitter } from "../events/emitter.js";
import type { Estimator } from "../ports/estimator.js";
import type { Settings } from "../settings/settings.js";
import type { SummaryVariant } from "../events/summary-variant.js";
import { Aborted, untilAborted } from "../ports/until-aborted.js";
import { announce } from "./announce.js";
import { attachmentTokens } from "./attachment-tokens.js";
import { backgroundAttachments } from "./channels/background-agents.js";
import { restoreFiles, type FilesChannelResult } from "./channels/files.js";
import { planAttachment, planModeAttachment } from "./channels/plan.js";
import { restoreSkills } from "./channels/skills.js";
import { todoAttachment } from "./channels/todos.js";
import { fileTouches } from "./regions/file-touches.js";
import { chooseFiles, type FileChoice, type FileExclusions } from "./choose-files.js";
import type { AnnouncementSource } from "./ports/announcement-source.js";
import type { BackgroundAgents } from "./ports/background-agents.js";
import type { FileAccess } from "../ports/file-access.js";
import type { InvokedSkills } from "./ports/invoked-skills.js";
import type { PlanSource, PlanState } from "./ports/plan-source.js";
import type { RestoredMemory } from "./ports/restored-memory.js";
import type { TodoSource } from "./ports/todo-source.js";
import { pathKey, resolveIn } from "../../messages/paths.js";
import type { ReadStateSnapshot, RememberedRead } from "../tools/read-state.js";
import {
  noItems,
  type ChannelResult,
  type RestoreChannel,
  type Restored,
  type RestoredItem,
  type SkippedItem,
  type SkipReason,
} from "./restored.js";
import type { FileSkipReason } from "../events/file-skip-reason.js";

/** Where state comes from. A channel whose port is left out gives nothing. */
export interface RestorePorts {
  readonly files?: FileAccess;
  /** What comes back with files: the instructions of their directories. */
  readonly memory?: RestoredMemory;
  readonly backgroundAgents?: BackgroundAgents;
  readonly todos?: TodoSource;
  readonly plan?: PlanSource;
  readonly skills?: InvokedSkills;
  readonly announcements?: AnnouncementSource;
}

export type RestoreSettings = Pick<
  Settings,
  | "restoreFiles"
  | "restorePictures"
  | "restoreFileTokens"
  | "restoreFilesTokens"
  | "restoreSkillTokens"
  | "restoreSkillsTokens"
>;

export interface RestoreOptions {
  readonly ports: RestorePorts;
  /** As it was when the compaction began. */
  readonly readState: ReadStateSnapshot;
  /** The conversation before the compaction: it tells which parts of files are in use. Default: nothing is known. */
  readonly messages?: readonly Message[];
  /** What the compaction keeps word for word. Default: nothing. */
  readonly keptMessages?: readonly Message[];
  /** Default: `full`, or `up_to` where messages are kept. */
  readonly variant?: SummaryVariant;
  /** The agent whose context it is; left out for the main thread. */
  readonly agentId?: string | undefined;
  readonly estimator: Estimator;
  readonly settings: RestoreSettings;
  /** Tokens that the window has beside system prompt and tools: files take a third of them at most. Default: without end. */
  readonly room?: number | undefined;
  readonly clock: Clock;
  /** Which tools read files. Default: by the names that common agents use. */
  readonly tools?: CompactableTools;
  readonly exclude?: FileExclusions | undefined;
  /** Where relative paths of calls start. Default `/`. */
  readonly workingDirectory?: string | undefined;
  readonly events?: EventEmitter | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gathers what the model needs next, as attachments for after the summary. Changes nothing: not the read-state,
 * not the messages. Never rejects: a file or a channel that fails is among the skipped, and an abort ends it at
 * once with nothing.
 */
export async function restoreState(options: RestoreOptions): Promise<Restored> {
  const restored = await gatherUntilAborted(options);
  for (const { channel, path, reason } of restored.skipped) {
    if (channel === "files" && path !== undefined && isFailure(reason)) {
      options.events?.emit("file_restore_failed", { path, reason });
    }
  }
  return restored;
}

async function gatherUntilAborted(options: RestoreOptions): Promise<Restored> {
  try {
    return await untilAborted(gather(options), options.signal);
  } catch (error) {
    if (!(error instanceof Aborted)) throw error;
    return { attachments: [], readStateAfter: options.readState, skipped: [], isAborted: true };
  }
}

/** What a chosen file can fail by; the rest are rules. */
const failures: Readonly<Record<FileSkipReason, true>> = {
  gone: true,
  unreadable: true,
  binary: true,
  outside: true,
  denied: true,
  "too-large": true,
  "does-not-fit": true,
};

const isFailure = (reason: SkipReason): reason is FileSkipReason => Object.hasOwn(failures, reason);

async function gather(options: RestoreOptions): Promise<Restored> {
  const { ports, agentId, estimator } = options;
  const items = (
    channel: RestoreChannel,
    ...attachments: readonly (Attachment | undefined)[]
  ): ChannelResult => itemsOf(channel, attachments, estimator);
  const plan = await planOf(options);
  const [files, agents] = await Promise.all([
    filesOf(options, plan.state),
    guarded("background-agents", async () =>
      items(
        "background-agents",
        ...backgroundAttachments((await ports.backgroundAgents?.agents(agentId)) ?? [], agentId),
      ),
    ),
  ]);
  const todos = await guarded("todos", async () =>
    items("todos", todoAttachment((await ports.todos?.todos(agentId)) ?? [])),
  );
  const planned = await guarded("plan", async () => items("plan", planAttachment(plan.state)));
  const mode = await guarded("plan-mode", async () =>
    items("plan-mode", planModeAttachment(plan.state, agentId)),
  );
  const skills = await guarded("skills", async () =>
    restoreSkills((await ports.skills?.invoked(agentId)) ?? [], { ...options, agentId }),
  );
  const announced = await announcedBy(options);
  const results = [files, agents, todos, plan, planned, mode, skills, ...announced];
  return {
    attachments: results.flatMap(({ items }) => items),
    readStateAfter: files.readStateAfter,
    skipped: results.flatMap(({ skipped }) => skipped),
    isAborted: false,
  };
}

const itemsOf = (
  channel: RestoreChannel,
  attachments: readonly (Attachment | undefined)[],
  estimator: Estimator,
): ChannelResult => ({
  items: attachments.flatMap((attachment) =>
    attachment === undefined
      ? []
      : [{ channel, attachment, tokens: attachmentTokens(attachment, estimator) } satisfies RestoredItem],
  ),
  skipped: [],
});

const failed = (channel: RestoreChannel, error: unknown): readonly SkippedItem[] => [
  { channel, reason: "channel-failed", error },
];

/** One channel: what it throws costs only itself. */
async function guarded(channel: RestoreChannel, work: () => Promise<ChannelResult>): Promise<ChannelResult> {
  try {
    return await work();
  } catch (error) {
    return { items: [], skipped: failed(channel, error) };
  }
}

interface GatheredPlan extends ChannelResult {
  readonly state: PlanState | undefined;
}

async function planOf({ ports, agentId }: RestoreOptions): Promise<GatheredPlan> {
  try {
    return { ...noItems, state: await ports.plan?.plan(agentId) };
  } catch (error) {
    return { items: [], skipped: failed("plan", error), state: undefined };
  }
}

interface GatheredFiles extends ChannelResult {
  readonly readStateAfter: ReadStateSnapshot;
}

async function filesOf(options: RestoreOptions, plan: PlanState | undefined): Promise<GatheredFiles> {
  const { ports, readState, estimator, settings, room, clock, signal } = options;
  let choice: FileChoice = { candidates: [], kept: [], skipped: [] };
  let result: FilesChannelResult = { ...noItems, records: new Map() };
  try {
    choice = chosenFrom(options, plan);
    if (ports.files !== undefined) {
      const { files } = ports;
      const { messages = [], tools = createCompactableTools(), workingDirectory = "/" } = options;
      result = await restoreFiles(choice.candidates, {
        files,
        touches: fileTouches(messages, { tools, resolvePath: (path) => resolveIn(workingDirectory, path) }),
        roundsSince: (time) => responsesSince(messages, time),
        estimator,
        settings,
        room,
        signal,
        now: clock.now(),
      });
    }
  } catch (error) {
    result = { ...result, skipped: failed("files", error) };
  }
  const { records } = result;
  const kept = new Set(choice.kept);
  const reads = readState.reads.flatMap((read) => {
    const record = records.get(read.path);
    return record !== undefined ? [{ path: read.path, ...record }] : kept.has(read) ? [read] : [];
  });
  const memory = await memoryOf(options, result.items, reads);
  return {
    items: memory.items,
    skipped: [...choice.skipped, ...result.skipped, ...memory.skipped],
    readStateAfter: { reads: [...reads, ...memory.reads] },
  };
}

/** Responses that were given after a time. */
function responsesSince(messages: readonly Message[], time: number): number {
  const ids = new Set<unknown>();
  for (const message of messages.toReversed()) {
    if (message.type !== "assistant") continue;
    if (!(Date.parse(message.timestamp) > time)) break;
    ids.add(message.message?.id);
  }
  return ids.size;
}

interface GatheredMemory extends ChannelResult {
  readonly reads: readonly RememberedRead[];
}

/** Of what files may have, so much may the instructions of their directories have beside it. */
const MEMORY_SHARE = 0.25;

/** The files, each after the instructions of its directories. */
async function memoryOf(
  { ports, estimator, settings }: RestoreOptions,
  files: readonly RestoredItem[],
  known: readonly RememberedRead[],
): Promise<GatheredMemory> {
  const { memory } = ports;
  if (memory === undefined) return { items: files, skipped: [], reads: [] };
  const items: RestoredItem[] = [];
  const reads: RememberedRead[] = [];
  const skipped: SkippedItem[] = [];
  const seen = new Set(known.map(({ path }) => pathKey(path)));
  let total = 0;
  for (const file of files) {
    try {
      const found =
        file.path === undefined ? [] : await memory.forFiles([file.path], (path) => seen.has(pathKey(path)));
      for (const { attachment, read } of found) {
        const { path } = read;
        const tokens = attachmentTokens(attachment, estimator);
        seen.add(pathKey(path));
        if (total + tokens > settings.restoreFilesTokens * MEMORY_SHARE) {
          skipped.push({ channel: "files", path, reason: "does-not-fit" });
          continue;
        }
        total += tokens;
        items.push({ channel: "files", path, attachment, tokens });
        reads.push(read);
      }
    } catch (error) {
      skipped.push(...failed("files", error));
    }
    items.push(file);
  }
  return { items, skipped, reads };
}

function chosenFrom(options: RestoreOptions, plan: PlanState | undefined): FileChoice {
  const { readState, keptMessages = [], exclude = {} } = options;
  return chooseFiles(readState, {
    keptMessages,
    variant: options.variant ?? (keptMessages.length === 0 ? "full" : "up_to"),
    tools: options.tools ?? createCompactableTools(),
    exclude: {
      ...exclude,
      planPaths: [...(exclude.planPaths ?? []), ...(plan === undefined ? [] : [plan.path])],
    },
    workingDirectory: options.workingDirectory ?? "/",
  });
}

/** Everything that the kept messages do not announce, tagged with whose compaction it was. */
async function announcedBy(options: RestoreOptions): Promise<readonly ChannelResult[]> {
  const { ports, agentId, keptMessages = [], estimator } = options;
  const callSite = keptMessages.length === 0 ? "compact_full" : "compact_partial";
  try {
    const current = (await ports.announcements?.announcements(agentId)) ?? {};
    return announce(current, keptMessages).map(({ channel, attachment }) =>
      itemsOf(channel, [{ ...attachment, callSite }], estimator),
    );
  } catch (error) {
    return [{ items: [], skipped: failed("deferred-tools", error) }];
  }
}

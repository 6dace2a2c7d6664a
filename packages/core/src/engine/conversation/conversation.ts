import { isFields } from "../../messages/fields.js";
import type { AnthropicMessage } from "../../messages/import/from-anthropic.js";
import type { Message } from "../../messages/message.js";
import { accountFor } from "../measure/account-for.js";
import { percentLeft, pressureOf } from "../measure/thresholds.js";
import type { Compacted, CompactionFailed } from "../summarise/run/compaction.js";
import { createAsking } from "./ask.js";
import { badOption, checkModel, checkOptions, demand } from "./check-options.js";
import type {
  AppendOptions,
  BranchOptions,
  CompactOptions,
  Conversation,
  ConversationSize,
  EngineStep,
  Prepared,
} from "./conversation-api.js";
import type { ConversationOptions } from "./conversation-options.js";
import { resolveOptions } from "./defaults.js";
import { compactionStep } from "./describe-step.js";
import { dueAt, estimatorOf, originOf, paramsOf, thresholdsOf } from "./facts.js";
import { messagesOf } from "./given-messages.js";
import type { ResolvedOptions } from "./host-options.js";
import { noCompaction, nothingToUndo } from "./no-compaction.js";
import { billed, Observer } from "./observe.js";
import { dropBoundThinking, restateDeletions } from "./perform.js";
import { planNext } from "./plan.js";
import { startRunner, type Runner } from "./run.js";
import { createSetup } from "./setup.js";
import type { NotesKeeping, NotesStage } from "./stages.js";

/**
 * A conversation, new or resumed: `messages` are its live ones, as the store gives them. Plain ones with a role and content
 * are stored with what comes next.
 */
export function createConversation(
  given: ConversationOptions,
  messages: readonly (Message | AnthropicMessage)[] = [],
): Conversation {
  checkOptions(given);
  const options = resolveOptions(given, messages);
  const begun = messagesOf(messages, { ...options, parentUuid: null });
  const setup = createSetup(options);
  const runner = startRunner(setup, begun.messages, options.totals?.account(begun.messages, setup.source));
  runner.unstored = begun.made;
  return conversationOf(options, runner);
}

function conversationOf(options: ConversationOptions & ResolvedOptions, runner: Runner): Conversation {
  const { setup } = runner;
  const exclusive = createQueue();
  runner.notes = createKeeper(runner, options.notes, exclusive);
  const observer = new Observer(runner);
  const conversation: Omit<Conversation, "ask" | "stream"> = {
    events: setup.events,
    get model() {
      return runner.state.model;
    },
    get live() {
      return runner.state.context.live;
    },
    origin: () => originOf(runner),
    append: (...given: readonly (Message | AnthropicMessage | AppendOptions)[]) =>
      exclusive(() => append(runner, given)),
    prepare: ({ signal } = {}) => exclusive(() => prepare(runner, observer, signal)),
    observe: (prepared, outcome, { signal } = {}) =>
      exclusive(() => observer.observe(prepared, outcome, signal)),
    compact: (given = {}) => exclusive(() => compactNow(runner, observer, given)),
    plan: (given = {}) => exclusive(() => planNext(runner, given)),
    undo: () => exclusive(async () => setup.compaction?.undo(runner) ?? nothingToUndo),
    rewind: (to) => exclusive(async () => options.branches?.rewind(runner, to) ?? cannotRewind),
    branch: (given = {}) => exclusive(() => branchOff(runner, options, given)),
    switchModel: (model, given = {}) => exclusive(() => switchModel(runner, observer, { model, ...given })),
    size: () => sizeOf(runner),
    accounting: () => accountFor(runner.state.context.live, estimatorOf(runner)),
    account: () => runner.ledger.account,
    charge(...calls) {
      demand(
        calls.every((call) => isFields(call) && ("request" in call || isFields(call.usage))),
        "charge: each call must be `{ source, model, usage }`",
      );
      runner.ledger.add(calls.map((call) => ("request" in call ? billed(runner, call) : call)));
      return exclusive(() => runner.ledger.save());
    },
    requestMessages: () => runner.state.context.messages,
    cacheSafeParams: () => paramsOf(runner),
    get ttl() {
      return runner.ttl;
    },
    notes: runner.notes,
    async flush() {
      // Notes begin with what is appended, and what they cost is stored after them.
      await exclusive(async () => {});
      await Promise.all([runner.notes?.idle(), setup.watch.flush()]);
      await exclusive(() => runner.ledger.save());
      await exclusive(() => runner.storeRest());
    },
  };
  return Object.assign(conversation, createAsking(conversation, options));
}

const HAND_BRANCHES_IN = "Hand in `branches` of @palimpsest/core/branches.";
const cannotRewind = { kind: "failed", reason: "not_handed_in", message: HAND_BRANCHES_IN } as const;

/** A second conversation that goes on from here. */
async function branchOff(
  runner: Runner,
  options: ConversationOptions,
  given: BranchOptions,
): Promise<Conversation> {
  if (options.branches === undefined) throw badOption(HAND_BRANCHES_IN);
  const { options: wanted, stored, live, window } = await options.branches.branch(runner, options, given);
  checkOptions(wanted);
  const own = resolveOptions(wanted, []);
  await own.writer?.append(stored);
  const branch = startRunner(createSetup(own), live);
  if (window !== undefined) branch.note({ kind: "refused", window });
  await branch.commit({ kind: "branched" });
  return conversationOf(own, branch);
}

/** Runs one thing after the other; one that fails holds nobody up. */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task);
    last = run.catch(() => {});
    return run;
  };
}

function createKeeper(
  runner: Runner,
  notes: NotesStage | undefined,
  inTurn: (task: () => Promise<void>) => Promise<void>,
): NotesKeeping | undefined {
  if (!runner.setup.settings.notes) return undefined;
  if (notes === undefined) {
    throw badOption("the setting notes needs keepNotes() of @palimpsest/core/notes, handed in as `notes`");
  }
  return notes.create(runner, inTurn);
}

const isOptions = (value: unknown): value is AppendOptions =>
  isFields(value) && Object.keys(value).every((key) => key === "pin");

async function append(
  runner: Runner,
  given: readonly (Message | AnthropicMessage | AppendOptions)[],
): Promise<void> {
  const last = given.at(-1);
  const options = isOptions(last) ? last : undefined;
  const added = (options === undefined ? given : given.slice(0, -1)) as readonly (
    | Message
    | AnthropicMessage
  )[];
  const { messages: made } = messagesOf(added, originOf(runner));
  const messages = options?.pin === true ? made.map((message) => ({ ...message, isPinned: true })) : made;
  await runner.commit({ kind: "appended", messages: linked(runner, messages) });
  runner.notes?.startIfDue();
}

/** A message that was made before a compaction took effect hangs on one that is gone: it follows the last one. */
function linked({ state: { context, tip } }: Runner, messages: readonly Message[]): readonly Message[] {
  let last = tip ?? context.last?.uuid ?? null;
  return messages.map((message) => {
    const { parentUuid } = message;
    const place = tip === undefined ? context.live.findLastIndex(({ uuid }) => uuid === parentUuid) : -1;
    // What the engine has stored since it was made comes before it.
    const isKnown = place !== -1 && context.live.slice(place + 1).some(({ type }) => type !== "system");
    const isLinked = parentUuid === last || isKnown;
    const next = isLinked ? message : { ...message, parentUuid: last };
    last = message.uuid;
    return next;
  });
}

async function prepare(
  runner: Runner,
  observer: Observer,
  signal: AbortSignal | undefined,
): Promise<Prepared> {
  const prepared = await runner.prepare(observer.untold.splice(0), signal);
  if (prepared.kind === "request") observer.sent(prepared);
  return prepared;
}

async function compactNow(
  runner: Runner,
  observer: Observer,
  given: CompactOptions,
): Promise<Compacted | CompactionFailed> {
  const { scope, instructions, signal } = given;
  demand(isFields(given), "compact: the options must be an object");
  const { compaction } = runner.setup;
  if (compaction === undefined) return noCompaction;
  if (scope === undefined || scope.kind === "full") {
    const cut = await runner.cutUnanswered();
    if (cut !== undefined) observer.untold.push(cut);
  }
  return compaction.perform(runner, {
    trigger: "manual",
    usesNotes: scope === undefined && instructions === undefined,
    signal,
    scope,
    instructions,
  });
}

/** To a smaller window it is compacted first, with the old model. */
async function switchModel(
  runner: Runner,
  observer: Observer,
  {
    model,
    maxTokens,
    signal,
  }: { readonly model: string; readonly maxTokens?: number; readonly signal?: AbortSignal },
): Promise<EngineStep | undefined> {
  checkModel("switchModel", model, maxTokens ?? runner.state.maxTokens);
  const { compaction } = runner.setup;
  const { isAutoCompactOn, autoCompactAt } = thresholdsOf(runner, model);
  let step: EngineStep | undefined;
  if (isAutoCompactOn && compaction !== undefined && runner.state.context.size.padded >= autoCompactAt) {
    const cut = await runner.cutUnanswered(model);
    if (cut !== undefined) observer.untold.push(cut);
    const outcome = await compaction.perform(runner, { trigger: "auto", signal, toFit: model });
    if (outcome.kind === "compacted") step = compactionStep(outcome);
  }
  // Deletions inside the old model's cache mean nothing to the new one.
  if (model !== runner.state.model) await restateDeletions(runner);
  await runner.commit({ kind: "model-switched", model, maxTokens });
  await dropBoundThinking(runner);
  return step;
}

function sizeOf(runner: Runner): ConversationSize {
  const { size } = runner.state.context;
  const thresholds = thresholdsOf(runner);
  const compactAt = dueAt(runner);
  return {
    ...size,
    thresholds,
    compactAt,
    percentLeft: percentLeft(thresholds, size.padded),
    pressure: pressureOf(thresholds, size.padded, compactAt),
  };
}

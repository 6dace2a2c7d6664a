import { figure } from "../../messages/billed-usage.js";
import { createSystemMessage } from "../../messages/construct.js";
import { asFields, isFields } from "../../messages/fields.js";
import type { Message } from "../../messages/message.js";
import { isTotals, isWholeTotals, type TotalsRecord } from "../../messages/totals-record.js";
import { readCalibration, type Calibration } from "../measure/calibration.js";
import { overheadAt } from "../measure/context-meter.js";
import type { DefaultEstimator } from "../measure/default-estimator.js";
import type { MeasuredSizes } from "../measure/measured-sizes.js";
import { sentBlocks } from "../measure/sent-blocks.js";
import { addCall, type Account, type AccountLine } from "../money/account.js";
import { apply } from "./apply.js";
import { closedBreaker, type Breaker } from "./breaker.js";
import type { Chain } from "./chain.js";
import type { KnownHead } from "./context.js";
import type { ConversationEvent } from "./event.js";
import { estimatorOf, originOf } from "./facts.js";
import type { Moment, Setup, TotalsStage } from "./stages.js";
import type { ConversationState } from "./state.js";
import { accountIn } from "./totals-account.js";

type State = ConversationState;

/** A message by its uuid, then its tokens and those of each block: as measured, or below 0 where it was guessed. */
type StoredSize = readonly [uuid: string, ...tokens: number[]];

/** Everything that a conversation knows and its messages do not show. */
interface Totals {
  readonly account: readonly AccountLine[];
  /** In whose tokens it is measured. */
  readonly model: string;
  readonly calibration?: Calibration;
  readonly head: KnownHead;
  readonly sizes: readonly StoredSize[];
  readonly chain: Chain;
  readonly room: Room;
  /** What the API has said of models' windows. */
  readonly windows: readonly (readonly [model: string, tokens: number])[];
}

type Room = Pick<State["room"], "breaker" | "notEarlyBefore">;

/** What has changed of it, where the next messages do not show that either. */
interface Change {
  readonly head?: number;
  readonly refused?: {
    readonly model: string;
    readonly tokens?: number | undefined;
    readonly window?: number | undefined;
  };
  readonly room?: Room;
}

/**
 * Keeps what a conversation knows through a resume: its cost, the sizes of its messages, what its estimator has learned, how
 * compactions went. All of it is written where the list becomes another one, and what changes in between as it does.
 */
export const totals: TotalsStage = {
  name: "totals",
  records,
  apply: (setup, state, record) =>
    isWholeTotals(record) ? restated(setup, state, record) : changed(setup, state, record),
  account: accountIn,
};

function records(event: ConversationEvent, moment: Moment, account: Account): readonly Message[] {
  const { setup, state } = moment;
  switch (event.kind) {
    case "compacted":
      return [whole(after(moment, event), event.compacted.calls.reduce(addCall, account))];
    case "undone":
    case "rewound":
    case "branched":
      return [whole(after(moment, event), account)];
    case "model-switched":
      return event.model === state.model ? [] : [whole(after(moment, event), account)];
    case "head-measured":
      return state.context.live.some(isWholeTotals)
        ? [change(moment, { head: event.tokens })]
        : [whole(moment, account, headAfter(moment, event.tokens))];
    case "refused": {
      const { kind: _kind, ...refused } = event;
      return [change(moment, { refused: { ...refused, model: state.model } })];
    }
    case "failed": {
      const { breaker, notEarlyBefore } = apply(setup, state, event).room;
      const isSame = breaker === state.room.breaker && notEarlyBefore === state.room.notEarlyBefore;
      return isSame ? [] : [change(moment, { room: { breaker, notEarlyBefore } })];
    }
    default:
      return [];
  }
}

const after = ({ setup, state }: Moment, event: ConversationEvent): Moment => ({
  setup,
  state: apply(setup, state, event),
});

const headOf = ({ state: { context } }: Moment): KnownHead => ({
  overhead: context.size.shownOverhead,
  isShown: context.isOverheadShown,
  head: context.head,
});

/** What is known of system prompt and tools once they are estimated at so many tokens. */
function headAfter(moment: Moment, tokens: number): KnownHead {
  const known = headOf(moment);
  return { ...known, overhead: known.isShown ? overheadAt(tokens, known) : tokens, head: tokens };
}

const record = (moment: Moment, content: Pick<TotalsRecord, "totals" | "change">): TotalsRecord => ({
  ...createSystemMessage(originOf(moment), {
    subtype: "totals",
    content: "What the conversation knows so far",
    level: "info",
  }),
  subtype: "totals",
  ...content,
});

const change = (moment: Moment, given: Change): TotalsRecord => record(moment, { change: given });

function whole(moment: Moment, { lines }: Account, head = headOf(moment)): TotalsRecord {
  const { context, model, chain, room, windows } = moment.state;
  const { breaker, notEarlyBefore } = room;
  const estimator = estimatorOf(moment);
  const { calibration }: Partial<DefaultEstimator> = estimator.base;
  const given: Totals = {
    account: lines,
    model,
    ...(calibration === undefined ? {} : { calibration }),
    head,
    sizes: context.live.flatMap((message) => sizesOf(message, estimator)),
    chain,
    room: { breaker, notEarlyBefore },
    windows: [...windows],
  };
  return record(moment, { totals: given });
}

function sizesOf(message: Message, estimator: MeasuredSizes): readonly StoredSize[] {
  const blocks = sentBlocks(message);
  if (blocks.length === 0) return [];
  const written = (value: unknown, tokens: number): number =>
    isFields(value) && estimator.shown.has(value) ? tokens : -1 - tokens;
  const own = blocks.map((block) => written(block, estimator.block(block)));
  return [[message.uuid, written(message, estimator.message(message)), ...own]];
}

/** As a record says it, whether it was written just now or long ago: so both are the same. It may come from a file. */
function restated(setup: Setup, state: State, told: TotalsRecord): State {
  const given = asFields(told.totals) as Partial<Record<keyof Totals, unknown>>;
  const live = [...state.context.live, told];
  const isMeasured = given.model === state.model;
  if (isMeasured) restateSizes(setup.estimatorOf(state.model), live, given);
  const context = isMeasured
    ? state.context.replace(live, readHead(given.head))
    : state.context.append([told]);
  return {
    ...state,
    context,
    tip: undefined,
    windows: new Map([...state.windows, ...readWindows(given.windows)]),
    chain: readChain(given.chain) ?? state.chain,
    room: { ...state.room, ...readRoom(given.room) },
  };
}

function restateSizes(
  estimator: MeasuredSizes,
  live: readonly Message[],
  { calibration, sizes }: Partial<Record<keyof Totals, unknown>>,
): void {
  const base: Partial<DefaultEstimator> = estimator.base;
  if (base.calibration !== undefined) base.calibration = readCalibration(calibration);
  const known = new Map(
    (Array.isArray(sizes) ? sizes : []).flatMap((size: unknown) => (isSize(size) ? [[size[0], size]] : [])),
  );
  for (const message of live) {
    const [, own, ...blocks] = known.get(message.uuid) ?? [];
    restate(estimator, message, own);
    for (const [at, block] of sentBlocks(message).entries()) restate(estimator, block, blocks[at]);
  }
}

function restate({ shown, guessed }: MeasuredSizes, value: unknown, tokens: number | undefined): void {
  if (!isFields(value) || tokens === undefined) return;
  shown.delete(value);
  if (tokens >= 0) shown.set(value, tokens);
  else guessed.set(value, -1 - tokens);
}

/** In the order in which it happened: first what the list was told of, then the record. */
function changed(setup: Setup, state: State, told: Message): State {
  const { head, refused, room } = asFields(isTotals(told) ? told.change : undefined);
  let next = state;
  if (isCount(head)) next = apply(setup, next, { kind: "head-measured", tokens: head });
  const { model, tokens, window } = asFields(refused);
  if (model === state.model && isCount(tokens)) next = apply(setup, next, { kind: "refused", tokens });
  return {
    ...next,
    context: next.context.append([told]),
    tip: undefined,
    windows: new Map([...next.windows, ...readWindows([[model, window]])]),
    room: { ...next.room, ...(room === undefined ? {} : readRoom(room)) },
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isSize = (value: unknown): value is StoredSize =>
  Array.isArray(value) && typeof value[0] === "string" && value.slice(1).every(Number.isFinite);

function readHead(value: unknown): KnownHead {
  const { overhead, isShown, head } = asFields(value);
  return {
    overhead: figure(overhead),
    isShown: isShown === true,
    head: figure(head),
  };
}

function readChain(value: unknown): Chain | undefined {
  const { isCompacted, rounds, stretchId } = asFields(value);
  if (typeof isCompacted !== "boolean" || !isCount(rounds) || typeof stretchId !== "string") return undefined;
  return { isCompacted, rounds, stretchId };
}

function readRoom(value: unknown): Room {
  const { breaker, notEarlyBefore } = asFields(value);
  return { breaker: readBreaker(breaker), notEarlyBefore: figure(notEarlyBefore) };
}

function readBreaker(value: unknown): Breaker {
  const { failuresInARow, open } = asFields(value);
  if (!isCount(failuresInARow)) return closedBreaker;
  if (!isFields(open)) return { failuresInARow };
  return { failuresInARow, open: { since: figure(open["since"]), forMs: figure(open["forMs"]) } };
}

const readWindows = (value: unknown): readonly (readonly [string, number])[] =>
  (Array.isArray(value) ? value : []).flatMap((entry: unknown) => {
    const [model, tokens] = Array.isArray(entry) ? entry : [];
    return typeof model === "string" && isCount(tokens) && tokens > 0 ? [[model, tokens] as const] : [];
  });

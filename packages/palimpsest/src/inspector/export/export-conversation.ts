import type {
  CompactionView,
  ConversationList,
  ConversationOverview,
  RequestList,
  RequestView,
  Timeline,
} from "../contract.js";
import { redactedAnswer } from "./redacted-answer.js";

export interface ExportOptions {
  /** What the server says to `GET` of a path; undefined where it has no answer. */
  readonly ask: (path: string) => Promise<unknown>;
  /** A text without what must not be shared. */
  readonly redact: (text: string) => string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Characters of JSON at most. */
  readonly mostCharacters?: number;
}

/** What an exported page finds in itself. */
interface ExportedData {
  readonly generatedAt: string;
  /** By the path that the page would ask for it. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What is not in it, in a sentence; null where everything is. */
  readonly leftOut: string | null;
}

export interface ExportedConversation {
  readonly title: string;
  readonly data: ExportedData;
}

const MOST_CHARACTERS = 12_000_000;
/** Of them, what the list of requests may take, what with it requests block by block may; the rest is for whole texts. */
const SHARE_OF_ROWS = 0.4;
const SHARE_OF_REQUESTS = 0.6;
/** The windows that the page asks for. */
const ROWS = 200;
const CHARACTERS = 8000;
const COLUMNS = 1200;

/**
 * Everything that a page asks a server for about one conversation, as far as it has room: the figures whole, then requests from
 * those where something happened to the others, the newest first, then the texts of what they show. Undefined where there is no
 * such conversation.
 */
export async function exportConversation(
  id: string,
  options: ExportOptions,
): Promise<ExportedConversation | undefined> {
  const base = `/api/conversations/${encodeURIComponent(id)}`;
  const collected = new Collected(options);
  const overview = await collected.add<ConversationOverview>(base);
  if (overview === undefined) return undefined;
  const { live: _live, canUndo: _undo, ...listed } = overview;
  const shown: ConversationOverview = { ...listed, live: false, canUndo: false };
  collected.put(base, shown);
  const list: ConversationList = { conversations: [shown] };
  collected.put("/api/conversations", list);
  const whole = await collected.add<Timeline>(`${base}/timeline?points=${COLUMNS}`);
  for (const lane of overview.lanes.length > 1 ? overview.lanes : []) {
    await collected.add(`${base}/timeline?points=${COLUMNS}&lane=${encodeURIComponent(lane.id)}`);
  }
  await collected.add(`${base}/advice`);
  const blocks = new Set<string>();
  for (const { id: compaction } of overview.compactions) {
    const path = `${base}/compactions/${encodeURIComponent(compaction)}`;
    const view = await collected.add<CompactionView>(path);
    await collected.add(`${path}/needed-later`);
    for (const { block } of view?.after ?? []) blocks.add(block);
  }
  const total = whole?.total ?? 0;
  for (let from = 0; from < total && collected.hasRoom(SHARE_OF_ROWS); from += ROWS) {
    await collected.add<RequestList>(`${base}/requests?from=${from}&count=${ROWS}`);
  }
  for (const { block } of overview.largest) blocks.add(block);
  let requests = 0;
  for (const number of mostTelling(total, whole)) {
    if (!collected.hasRoom(SHARE_OF_REQUESTS)) break;
    await addRequest(`${base}/requests/${number}`, { collected, blocks, isWhole: number === total - 1 });
    requests += 1;
  }
  const texts = await addTexts(base, { collected, blocks });
  return {
    title: overview.title,
    data: {
      generatedAt: new Date(options.now).toISOString(),
      answers: collected.answers,
      leftOut: leftOut({ requests, total, ...texts }),
    },
  };
}

interface Collecting {
  readonly collected: Collected;
  /** What the requests show. */
  readonly blocks: Set<string>;
}

/** `isWhole`: with the texts of everything in it, not only of what is new. */
async function addRequest(
  path: string,
  { collected, blocks, isWhole }: Collecting & { readonly isWhole: boolean },
): Promise<void> {
  for (let from = 0, count = 1; from < count && collected.hasRoom(1); from += ROWS) {
    const view = await collected.add<RequestView>(`${path}?from=${from}&count=${ROWS}`);
    if (view === undefined) return;
    count = view.blockCount;
    for (const { id, characters, preview, isNew } of [...view.blocks, ...view.answer]) {
      // What is shown whole already needs no second time, nor what a request before it showed.
      if (characters > preview.length && (isNew || isWhole)) blocks.add(id);
    }
  }
}

/** The beginning of each text, as far as the page asks for one window of it. */
async function addTexts(
  base: string,
  { collected, blocks }: Collecting,
): Promise<{ readonly texts: number; readonly wanted: number }> {
  let texts = 0;
  for (const block of blocks) {
    if (!collected.hasRoom(1)) break;
    await collected.add(`${base}/blocks/${encodeURIComponent(block)}?offset=0&count=${CHARACTERS}`);
    texts += 1;
  }
  return { texts, wanted: blocks.size };
}

/** The newest, the first, those that marks stand at with the one before each, and then all others from the newest on. */
function mostTelling(total: number, timeline: Timeline | undefined): ReadonlySet<number> {
  const marked = (timeline?.marks ?? []).flatMap(({ request }) => [request, request - 1]);
  const others = Array.from({ length: total }, (_, at) => total - 1 - at);
  const numbers = [total - 1, 0, ...marked, ...others];
  return new Set(numbers.filter((number) => number >= 0 && number < total));
}

function leftOut({
  requests,
  total,
  texts,
  wanted,
}: {
  readonly requests: number;
  readonly total: number;
  readonly texts: number;
  readonly wanted: number;
}): string | null {
  const parts = [
    requests < total && `${total - requests} of ${total} requests block by block`,
    texts < wanted && `${wanted - texts} of ${wanted} longer texts`,
  ].filter((part) => part !== false);
  return parts.length === 0
    ? null
    : `Left out so that the file does not get too large: ${parts.join(", and ")}.`;
}

/** Answers by their paths, without secrets, and how much room they have taken. */
class Collected {
  readonly answers: Record<string, unknown> = {};
  readonly #options: ExportOptions;
  #characters = 0;

  constructor(options: ExportOptions) {
    this.#options = options;
  }

  async add<Answer>(path: string): Promise<Answer | undefined> {
    const answer = await this.#options.ask(path);
    if (answer === undefined) return undefined;
    this.put(path, answer);
    return this.answers[path] as Answer;
  }

  put(path: string, answer: unknown): void {
    const shared = redactedAnswer(answer, this.#options.redact);
    const before = this.answers[path];
    this.#characters += sizeOf(shared) - (before === undefined ? 0 : sizeOf(before));
    this.answers[path] = shared;
  }

  /** Whether less than this share of the room is taken. */
  hasRoom(share: number): boolean {
    return this.#characters < share * (this.#options.mostCharacters ?? MOST_CHARACTERS);
  }
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

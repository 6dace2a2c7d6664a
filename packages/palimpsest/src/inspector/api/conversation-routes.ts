import type { Context, Hono } from "hono";
import type { NeededLater, RequestList } from "../contract.js";
import type { TracedRequest } from "../index/trace-requests.js";
import { blockPlace } from "./block-place.js";
import { blockView } from "./block-view.js";
import { cacheClock } from "./cache-clock.js";
import { compactionView } from "./compaction-view.js";
import type { Conversations, OpenConversation } from "./conversations.js";
import { failure, noConversation } from "./failure.js";
import type { JobPort } from "./job-port.js";
import { overview } from "./overview.js";
import { numberIn, QuestionError } from "./questions.js";
import { createNeededOnce } from "./needed-once.js";
import { requestRow } from "./request-rows.js";
import { requestView, UNKNOWN_BLOCK } from "./request-view.js";
import { searchWords } from "./search.js";
import { timeline } from "./timeline.js";

interface Parts {
  readonly conversations: Conversations;
  readonly jobs?: JobPort | undefined;
}

const MOST_ROWS = 500;
const MOST_BLOCKS = 500;
const MOST_POINTS = 4000;
const MOST_CHARACTERS = 64_000;
const DEFAULT_POINTS = 1200;
const MOST_WORDS = 200;

const BASE = "/api/conversations/:id";

/** Adds what is asked of one conversation. */
export function addConversationRoutes(app: Hono, { conversations, jobs }: Parts): void {
  type Answer = (conversation: OpenConversation, context: Context) => Promise<Response>;
  const get = (path: string, answer: Answer): void => {
    app.get(`${BASE}${path}`, async (context) => {
      const conversation = await conversations.open(context.req.param("id") ?? "");
      return conversation === undefined ? noConversation() : answer(conversation, context);
    });
  };

  get("", async (conversation, context) => context.json(await overview(conversation)));

  get("/timeline", async (conversation, context) =>
    context.json(
      timeline(conversation, {
        from: numberIn(context, "from", { otherwise: 0 }),
        to: numberIn(context, "to", { otherwise: Number.MAX_SAFE_INTEGER }),
        points: numberIn(context, "points", { otherwise: DEFAULT_POINTS, least: 1, most: MOST_POINTS }),
        lane: context.req.query("lane"),
      }),
    ),
  );

  get("/requests", async ({ index }, context) => {
    const { requests } = index.traced;
    const from = numberIn(context, "from", { otherwise: 0 });
    const count = numberIn(context, "count", { otherwise: MOST_ROWS, most: MOST_ROWS });
    const shown = requests.slice(from, from + count).map((request) => requestRow(index, request));
    const list: RequestList = { total: requests.length, from, requests: shown };
    return context.json(list);
  });

  get("/requests/:number", async (conversation, context) => {
    const request = requestOf(context, conversation);
    if (request === undefined) return failure(404, "no_request", "There is no request of this number.");
    const from = numberIn(context, "from", { otherwise: 0 });
    const count = numberIn(context, "count", { otherwise: MOST_BLOCKS, most: MOST_BLOCKS });
    return context.json(await requestView(conversation, request, { from, count }));
  });

  get("/requests/:number/place", async (conversation, context) => {
    const request = requestOf(context, conversation);
    if (request === undefined) return failure(404, "no_request", "There is no request of this number.");
    return context.json(await blockPlace(conversation, request, context.req.query("block") ?? ""));
  });

  get("/blocks/:block", async (conversation, context) => {
    const id = context.req.param("block") ?? "";
    const offset = numberIn(context, "offset", { otherwise: 0 });
    const count = numberIn(context, "count", { otherwise: MOST_CHARACTERS, most: MOST_CHARACTERS });
    if (id === UNKNOWN_BLOCK) return context.json({ characters: 0, offset: 0, text: "" });
    const view = await blockView(conversation, id, { offset, count });
    return view === undefined
      ? failure(404, "no_block", "There is no block of this id.")
      : context.json(view);
  });

  get("/compactions/:compaction", async (conversation, context) => {
    const view = await compactionView(conversation, context.req.param("compaction") ?? "");
    return view === undefined
      ? failure(404, "no_compaction", "There is no compaction of this id.")
      : context.json(view);
  });

  // Apart from the rest, because the whole conversation is replayed for it.
  const needs = createNeededOnce(jobs);
  get("/compactions/:compaction/needed-later", async (conversation, context) => {
    const id = context.req.param("compaction") ?? "";
    const mark = conversation.index.compactions.find((one) => one.mark.id === id)?.mark;
    if (mark === undefined) return failure(404, "no_compaction", "There is no compaction of this id.");
    // What cannot be worked out is no reason to say nothing.
    const needed = await needs(conversation).catch(() => undefined);
    const answer: NeededLater = { items: needed?.get(mark.request) ?? null };
    return context.json(answer);
  });

  get("/clock", async (conversation, context) => context.json(cacheClock(conversation)));

  get("/search", async (conversation, context) => {
    const words = (context.req.query("q") ?? "").trim();
    if (words === "") throw new QuestionError("`q` must be the words that are looked for.");
    if (words.length > MOST_WORDS)
      throw new QuestionError(`\`q\` must have at most ${MOST_WORDS} characters.`);
    const cursor = context.req.query("cursor");
    if (cursor !== undefined && !/^(?:\d{1,15}(?:\.\d{1,6})?)?$/.test(cursor))
      throw new QuestionError("`cursor` must be that of an answer.");
    const { signal } = context.req.raw;
    return context.json(await searchWords(conversation, { words, cursor, signal }));
  });

  app.post(`${BASE}/undo`, async (context) => {
    const undone = await conversations.undo(context.req.param("id"));
    return undone === undefined ? noConversation() : context.json(undone);
  });
}

function requestOf(context: Context, { index }: OpenConversation): TracedRequest | undefined {
  const number = context.req.param("number") ?? "";
  return /^\d{1,9}$/.test(number) ? index.traced.requests[Number(number)] : undefined;
}

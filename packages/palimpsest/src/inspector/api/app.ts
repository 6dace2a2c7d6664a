import { Hono, type Context } from "hono";
import type { RenderedPage } from "../../pages/render-page.js";
import { RecordingError } from "../../replay/readers/recording-error.js";
import type { ConversationList, RequestList } from "../contract.js";
import type { TracedRequest } from "../index/trace-requests.js";
import { blockView } from "./block-view.js";
import type { Conversations, OpenConversation } from "./conversations.js";
import type { EventLog } from "./event-log.js";
import { eventStream } from "./event-stream.js";
import { failure } from "./failure.js";
import { createGuard } from "./guard.js";
import { overview } from "./overview.js";
import { numberIn, QuestionError } from "./questions.js";
import { requestRow } from "./request-rows.js";
import { requestView, UNKNOWN_BLOCK } from "./request-view.js";
import { timeline } from "./timeline.js";

export interface InspectorAppOptions {
  readonly conversations: Conversations;
  /** What changed, for pages that stay open. */
  readonly events: EventLog;
  /** Only who sends it as `Authorization: Bearer` is answered. */
  readonly token: string;
  /** Under which a forwarded port is reached. */
  readonly publicUrl?: string | undefined;
  /** The page: one document with its script and its style in it, and the policy that lets those run. Without it there is only the API. */
  readonly page?: (() => RenderedPage | Promise<RenderedPage>) | undefined;
  /** Told what was thrown where an answer says that it is the inspector's own fault. */
  readonly onError?: (error: unknown) => void;
}

/** The inspector as a function. It answers whatever the request is and never throws. */
export type InspectorApp = (request: Request) => Promise<Response>;

const MOST_ROWS = 500;
const MOST_BLOCKS = 500;
const MOST_POINTS = 4000;
const MOST_CHARACTERS = 64_000;
const DEFAULT_POINTS = 1200;

export function createInspectorApp(options: InspectorAppOptions): InspectorApp {
  const { conversations, events } = options;
  const guard = createGuard(options);
  const app = new Hono();

  app.use(async (context, next) => {
    const refused =
      guard.place(context.req.raw) ??
      (context.req.path.startsWith("/api/") ? guard.token(context.req.raw) : undefined);
    if (refused !== undefined) return refused;
    await next();
    return undefined;
  });
  app.get("/", async (context) => {
    const page = await options.page?.();
    if (page === undefined) return context.notFound();
    return context.html(page.html, 200, { "content-security-policy": page.policy });
  });

  app.get("/api/conversations", async (context) => {
    const list: ConversationList = { conversations: await conversations.list() };
    return context.json(list);
  });
  app.get("/api/events", (context) => eventStream(events, context.req.raw));

  const withConversation = async (
    context: Context,
    answer: (conversation: OpenConversation) => Response | Promise<Response>,
  ): Promise<Response> => {
    const conversation = await conversations.open(context.req.param("id") ?? "");
    return conversation === undefined
      ? failure(404, "no_conversation", "There is no conversation of this id.")
      : answer(conversation);
  };
  const requestOf = (context: Context, { index }: OpenConversation): TracedRequest | undefined => {
    const number = context.req.param("number") ?? "";
    return /^\d{1,9}$/.test(number) ? index.traced.requests[Number(number)] : undefined;
  };
  const base = "/api/conversations/:id";

  app.get(base, (context) =>
    withConversation(context, async (conversation) => context.json(await overview(conversation))),
  );
  app.get(`${base}/timeline`, (context) =>
    withConversation(context, (conversation) =>
      context.json(
        timeline(conversation, {
          from: numberIn(context, "from", { otherwise: 0 }),
          to: numberIn(context, "to", { otherwise: Number.MAX_SAFE_INTEGER }),
          points: numberIn(context, "points", { otherwise: DEFAULT_POINTS, least: 1, most: MOST_POINTS }),
          lane: context.req.query("lane"),
        }),
      ),
    ),
  );
  app.get(`${base}/requests`, (context) =>
    withConversation(context, (conversation) => {
      const { requests } = conversation.index.traced;
      const from = numberIn(context, "from", { otherwise: 0 });
      const count = numberIn(context, "count", { otherwise: MOST_ROWS, most: MOST_ROWS });
      const list: RequestList = {
        total: requests.length,
        from,
        requests: requests
          .slice(from, from + count)
          .map((request) => requestRow(conversation.index, request)),
      };
      return context.json(list);
    }),
  );
  app.get(`${base}/requests/:number`, (context) =>
    withConversation(context, async (conversation) => {
      const request = requestOf(context, conversation);
      if (request === undefined) return failure(404, "no_request", "There is no request of this number.");
      const from = numberIn(context, "from", { otherwise: 0 });
      const count = numberIn(context, "count", { otherwise: MOST_BLOCKS, most: MOST_BLOCKS });
      return context.json(await requestView(conversation, request, { from, count }));
    }),
  );
  app.get(`${base}/blocks/:block`, (context) =>
    withConversation(context, async (conversation) => {
      const id = context.req.param("block");
      const offset = numberIn(context, "offset", { otherwise: 0 });
      const count = numberIn(context, "count", { otherwise: MOST_CHARACTERS, most: MOST_CHARACTERS });
      if (id === UNKNOWN_BLOCK) return context.json({ characters: 0, offset: 0, text: "" });
      const view = await blockView(conversation, id, { offset, count });
      return view === undefined
        ? failure(404, "no_block", "There is no block of this id.")
        : context.json(view);
    }),
  );

  app.notFound(() => failure(404, "not_found", "There is nothing at this address."));
  app.onError((error) => {
    if (error instanceof QuestionError) return failure(400, "bad_question", error.message);
    if (error instanceof RecordingError) return failure(422, error.code, `The recording ${error.message}.`);
    options.onError?.(error);
    return failure(
      500,
      "internal",
      "The inspector has failed at this; what it was doing is in its terminal with --debug.",
    );
  });
  return async (request) => hardened(await app.fetch(request));
}

/** What holds for every answer: nothing may be loaded, framed, kept or guessed. */
function hardened(response: Response): Response {
  const { headers } = response;
  if (!headers.has("content-security-policy")) {
    headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
  }
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-frame-options", "DENY");
  headers.set("referrer-policy", "no-referrer");
  headers.set("cross-origin-opener-policy", "same-origin");
  headers.set("cross-origin-resource-policy", "same-origin");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  return response;
}

import { PalimpsestError } from "@palimpsest/core";
import { Hono } from "hono";
import type { RenderedPage } from "../../pages/render-page.js";
import { RecordingError } from "../../replay/readers/recording-error.js";
import type { ConversationList } from "../contract.js";
import type { ExportedPage } from "../export/export-page.js";
import { addConversationRoutes } from "./conversation-routes.js";
import type { Conversations } from "./conversations.js";
import type { EventLog } from "./event-log.js";
import { eventStream } from "./event-stream.js";
import { failure } from "./failure.js";
import { createGuard } from "./guard.js";
import { addJobRoutes } from "./job-routes.js";
import type { JobPort } from "./job-port.js";
import { QuestionError } from "./questions.js";

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
  /** What-ifs and advice. Without it there are none. */
  readonly jobs?: JobPort | undefined;
  /** A conversation as one file to share. Without it there is none. */
  readonly exportPage?: ((id: string) => Promise<ExportedPage | undefined>) | undefined;
  /** Told what was thrown where an answer says that it is the inspector's own fault. */
  readonly onError?: (error: unknown) => void;
}

/** The inspector as a function. It answers whatever the request is and never throws. */
export type InspectorApp = (request: Request) => Promise<Response>;

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

  addConversationRoutes(app, options);
  addJobRoutes(app, options);
  app.get("/api/conversations/:id/export", async (context) => {
    const page = await options.exportPage?.(context.req.param("id"));
    if (page === undefined) return context.notFound();
    const { html, name } = page;
    return context.html(html, 200, {
      "content-security-policy": "sandbox; default-src 'none'",
      "content-disposition": `attachment; filename="${name.replaceAll(/[^\w.-]+/g, "-")}"`,
    });
  });

  app.notFound(() => failure(404, "not_found", "There is nothing at this address."));
  app.onError((error) => {
    if (error instanceof QuestionError) return failure(400, "bad_question", error.message);
    if (error instanceof RecordingError) return failure(422, error.code, `The recording ${error.message}.`);
    if (error instanceof PalimpsestError) return failure(409, error.code, error.message);
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

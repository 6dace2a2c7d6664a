import type { Context, Hono } from "hono";
import { isFields } from "../../replay/readers/recording.js";
import type { AdviceList, WhatIfRequest } from "../contract.js";
import type { Conversations } from "./conversations.js";
import { failure, noConversation } from "./failure.js";
import { numbered, type JobPort } from "./job-port.js";
import { QuestionError } from "./questions.js";

interface Parts {
  readonly conversations: Conversations;
  readonly jobs?: JobPort | undefined;
}

const MOST_BODY_BYTES = 16 * 1024;

/** Adds what takes longer than an answer: what-ifs, and advice. */
export function addJobRoutes(app: Hono, { conversations, jobs }: Parts): void {
  const withoutJobs = (): Response =>
    failure(404, "no_jobs", "This inspector plays no what-ifs and gives no advice.");
  const noJob = (): Response => failure(404, "no_job", "There is no what-if of this id.");

  app.get("/api/policies", (context) => (jobs === undefined ? withoutJobs() : context.json(jobs.policies())));

  app.get("/api/advice", async (context) => {
    if (jobs === undefined) return withoutJobs();
    return context.json(adviceOf(await jobs.advice(await conversations.files())));
  });

  app.get("/api/conversations/:id/advice", async (context) => {
    if (jobs === undefined) return withoutJobs();
    const conversation = await conversations.open(context.req.param("id"));
    if (conversation === undefined) return noConversation();
    return context.json(adviceOf(await jobs.advice([conversation.path])));
  });

  app.post("/api/conversations/:id/what-if", async (context) => {
    if (jobs === undefined) return withoutJobs();
    const conversation = await conversations.open(context.req.param("id"));
    if (conversation === undefined) return noConversation();
    const request = await whatIfIn(context);
    return context.json(jobs.startWhatIf(numbered(conversation), request), 202);
  });

  app.get("/api/what-if/:job", (context) => {
    const job = jobs?.whatIf(context.req.param("job"));
    return job === undefined ? noJob() : context.json(job);
  });

  app.delete("/api/what-if/:job", (context) => {
    const job = jobs?.cancelWhatIf(context.req.param("job"));
    return job === undefined ? noJob() : context.json(job);
  });
}

const adviceOf = ({ advice, note }: AdviceList): AdviceList => ({ advice, note });

/** Throws `QuestionError`. */
async function whatIfIn(context: Context): Promise<WhatIfRequest> {
  const body = await context.req.text();
  if (body.length > MOST_BODY_BYTES) throw new QuestionError("The body is too long.");
  let asked: unknown;
  try {
    asked = JSON.parse(body);
  } catch {
    throw new QuestionError("The body must be JSON.");
  }
  if (!isFields(asked) || typeof asked["policy"] !== "string") {
    throw new QuestionError("`policy` must be the name of a policy.");
  }
  const { policy, window, lifetime } = asked;
  if (window !== undefined && !(typeof window === "number" && Number.isInteger(window) && window > 0)) {
    throw new QuestionError("`window` must be a whole number of tokens.");
  }
  if (lifetime !== undefined && lifetime !== "5m" && lifetime !== "1h") {
    throw new QuestionError("`lifetime` must be 5m or 1h.");
  }
  return {
    policy,
    ...(window === undefined ? {} : { window }),
    ...(lifetime === undefined ? {} : { lifetime }),
  };
}

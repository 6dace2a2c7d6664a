import { decodeRequestHead } from "@palimpsest/core/protocols";
import type { JudgedCall, Verdict } from "../outcome.js";
import type { Fault } from "./faults.js";
import type { Given } from "./give-answer.js";
import type { Platform } from "./platforms.js";
import type { RequestRecord } from "./request-log.js";

/** What is known about a request while it is being answered. */
export interface Exchange {
  readonly requestId: string;
  readonly request: Request;
  workspace: string | null;
  /** The parsed body, once it was read. */
  body: unknown;
  bytes: number;
  faults: readonly Fault[];
  /** What the simulator said, once it was asked. */
  judged: JudgedCall | undefined;
  /** Where it came in the envelope of one. */
  readonly platform: Platform | undefined;
}

/** No text of a record is longer. */
const LOGGED_CHARACTERS = 500;
const LOGGED_BETAS = 50;

export const asksForStream = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "stream" in body && body.stream === true;

interface Answered {
  readonly given: Given;
  readonly verdict: Verdict | undefined;
  readonly now: number;
}

const brief = (text: string): string => text.slice(0, LOGGED_CHARACTERS);

/** The record of an exchange: bounded in size, without keys and without content. */
export function describeExchange(
  { requestId, request, workspace, body, bytes, faults }: Exchange,
  { given, verdict, now }: Answered,
): Omit<RequestRecord, "sequence" | "journey"> {
  const { method, headers, url } = request;
  const { betas } = decodeRequestHead(headers);
  const version = headers.get("anthropic-version");
  const model = typeof body === "object" && body !== null && "model" in body ? body.model : undefined;
  return {
    requestId,
    time: now,
    method: brief(method),
    path: brief(new URL(url).pathname),
    workspace,
    apiVersion: version === null ? null : brief(version),
    betas: betas.slice(0, LOGGED_BETAS).map(brief),
    model: typeof model === "string" ? brief(model) : null,
    stream: asksForStream(body),
    bytes,
    status: given.status,
    error:
      given.error === null ? null : { type: brief(given.error.type), message: brief(given.error.message) },
    faults: faults.map(({ fault }) => fault),
    verdict: verdict ?? null,
  };
}

import { createHash, timingSafeEqual } from "node:crypto";
import type { Readable } from "node:stream";
import { isMode, modeNames, type Mode } from "./mode.js";
import { headerValue, headerValues, type RawHeaders } from "./raw-headers.js";
import { refusalBody, refusals, type Refusal } from "./refusal.js";

/** What the control endpoints read and switch. */
export interface Controlled {
  /** Of the lock file. Whoever can read that file may switch modes. */
  readonly token: string;
  readonly mode: () => Mode;
  readonly setMode: (mode: Mode) => void;
  /** The receipt so far, as JSON has it. */
  readonly stats: () => Promise<object>;
  /** The same, once it is found out what other policies would have cost. */
  readonly whatIf: () => Promise<object>;
}

export interface ControlRequest {
  readonly method: string;
  readonly headers: RawHeaders;
  readonly body: Readable | undefined;
}

interface ControlAnswer {
  readonly kind: "answer";
  readonly status: number;
  readonly reason: string;
  readonly headers: string[];
  readonly body: Buffer;
}

const MOST_BYTES = 64 * 1024;

/** Answers `/__gateway/…`. `isOpen`: figures may be read without the lock file's token. Never rejects. */
export async function answerControl(
  name: string,
  request: ControlRequest,
  controlled: Controlled & { readonly isOpen: boolean },
): Promise<ControlAnswer> {
  const { method, headers } = request;
  if (headerValues(headers, "origin").length > 0) return refused(refusals.webPage);
  const isKnown = holdsToken(headers, controlled.token);
  if (name === "stats" || name === "what-if") {
    if (method !== "GET") return refused(refusals.notAllowed);
    if (!controlled.isOpen && !isKnown) return refused(refusals.noControlToken);
    return json(await (name === "stats" ? controlled.stats() : controlled.whatIf()));
  }
  if (name !== "mode") return refused(refusals.notFound);
  if (method === "GET")
    return controlled.isOpen || isKnown
      ? json({ mode: controlled.mode() })
      : refused(refusals.noControlToken);
  if (method !== "POST") return refused(refusals.notAllowed);
  if (!isKnown) return refused(refusals.noControlToken);
  const mode = await wantedMode(request.body);
  if (!isMode(mode)) return refused(notAMode);
  controlled.setMode(mode);
  return json({ mode });
}

const notAMode: Refusal = {
  status: 400,
  type: "invalid_request_error",
  message: `the body must be {"mode": M} with one of ${modeNames.join(", ")}`,
};

async function wantedMode(body: Readable | undefined): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of body ?? []) {
      size += (part as Buffer).length;
      if (size > MOST_BYTES) return undefined;
      parts.push(part as Buffer);
    }
    return (JSON.parse(Buffer.concat(parts).toString()) as { readonly mode?: unknown } | null)?.mode;
  } catch {
    return undefined;
  }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const holdsToken = (headers: RawHeaders, token: string): boolean =>
  timingSafeEqual(
    digest((headerValue(headers, "authorization") ?? "").replace(/^bearer +/i, "")),
    digest(token),
  );

const json = (value: object, status = 200): ControlAnswer =>
  answerOf(Buffer.from(`${JSON.stringify(value)}\n`), status);

const refused = (refusal: Refusal): ControlAnswer =>
  answerOf(refusalBody(refusal, "anthropic"), refusal.status);

const answerOf = (body: Buffer, status: number): ControlAnswer => ({
  kind: "answer",
  status,
  reason: "",
  headers: [
    "content-type",
    "application/json",
    "content-length",
    String(body.length),
    "cache-control",
    "no-store",
  ],
  body,
});

import { encodeError } from "@palimpsest/core/protocols";
import type { Hono } from "hono";
import type { Simulator } from "../simulator.js";
import type { FaultPlan } from "./faults.js";
import { readFaults } from "./parse-faults.js";
import { isLocalRequest } from "./local-host.js";
import { parseJson } from "./parse-json.js";
import { readBody } from "./read-body.js";
import { forbidden, invalidRequest, notAllowed, refusals, type Refusal } from "./refusal.js";
import type { RequestLog } from "./request-log.js";

export interface Controlled {
  readonly simulator: Simulator;
  readonly clock: { sync(): void };
  readonly log: RequestLog;
  readonly faults: FaultPlan;
  /** Answer under any `Host`. */
  readonly remoteControl: boolean;
}

const PREFIX = "/__sim";
const MAX_BODY_BYTES = 1024 * 1024;
/** A century: further than any test needs, and nowhere near where dates end. */
const LONGEST_ADVANCE = 100 * 365 * 86_400_000;

type Reply = Readonly<Record<string, unknown>>;
type Endpoint = (request: Request) => Reply | Refusal | Promise<Reply | Refusal>;

/**
 * The endpoints by which a test steers the simulator, under `/__sim/`. They need no key, so they refuse what a
 * web page could send: requests with an `Origin`, and under a `Host` that is no name of this machine.
 */
export function addControlRoutes(routes: Hono, controlled: Controlled): void {
  const { simulator, clock, log, faults } = controlled;
  const clockState = (): Reply => ({ now: simulator.now(), time: new Date(simulator.now()).toISOString() });
  const faultState = (): Reply => {
    const { requests, planned } = faults.state();
    return {
      requests,
      faults: planned.map(({ fault, from, to }) => ({
        ...fault,
        at: to === from ? from : `${from}-${Number.isFinite(to) ? to : ""}`,
      })),
    };
  };
  const endpoints: Readonly<Record<string, { readonly get?: Endpoint; readonly post?: Endpoint }>> = {
    requests: {
      get(request) {
        const since = new URL(request.url).searchParams.get("since") ?? "0";
        if (!/^\d{1,15}$/.test(since)) return invalidRequest("since has to be the number of a request");
        return { requests: log.since(Number(since)) };
      },
    },
    stats: { get: () => ({ ...log.totals() }) },
    clock: {
      get() {
        clock.sync();
        return clockState();
      },
      async post(request) {
        const body = await readFields(request);
        if (body.kind === "refusal") return body;
        const { advanceMs } = body.fields;
        if (typeof advanceMs !== "number" || !(advanceMs >= 0 && advanceMs <= LONGEST_ADVANCE)) {
          return invalidRequest(`advanceMs must be a number from 0 to ${LONGEST_ADVANCE}`);
        }
        clock.sync();
        simulator.advance(advanceMs);
        return clockState();
      },
    },
    faults: {
      get: faultState,
      async post(request) {
        const body = await readFields(request);
        if (body.kind === "refusal") return body;
        const parsed = readFaults(body.fields["faults"]);
        if (parsed.kind === "problem") return invalidRequest(parsed.problem);
        faults.set(parsed.rules);
        return faultState();
      },
    },
    reset: {
      post() {
        simulator.reset();
        log.reset();
        faults.reset();
        return { reset: true };
      },
    },
  };
  routes.all(`${PREFIX}/*`, async ({ req }) => {
    const { raw } = req;
    const stranger = controlled.remoteControl ? originOf(raw) : (originOf(raw) ?? hostOf(raw));
    if (stranger !== undefined) return reply(forbidden(stranger));
    const name = new URL(raw.url).pathname.slice(PREFIX.length + 1);
    const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
    if (endpoint === undefined) return reply(refusals.notFound);
    const handle = raw.method === "GET" ? endpoint.get : raw.method === "POST" ? endpoint.post : undefined;
    if (handle === undefined) {
      const allowed = [
        ...(endpoint.get === undefined ? [] : ["GET"]),
        ...(endpoint.post === undefined ? [] : ["POST"]),
      ];
      return reply(notAllowed(allowed.join(", ")));
    }
    return reply(await handle(raw));
  });
}

function reply(value: Reply | Refusal): Response {
  if (!("kind" in value) || value.kind !== "refusal") return Response.json(value);
  const { status, type, message, headers } = value as Refusal;
  return Response.json(encodeError({ type, message, requestId: "req_sim_control" }), {
    status,
    headers: headers ?? {},
  });
}

const originOf = ({ headers }: Request): string | undefined =>
  headers.has("origin") ? "the control endpoints do not answer web pages" : undefined;

const hostOf = (request: Request): string | undefined =>
  isLocalRequest(request)
    ? undefined
    : "the control endpoints answer under a name of this machine only, like localhost";

type Fields = { readonly kind: "fields"; readonly fields: Readonly<Record<string, unknown>> };

async function readFields(request: Request): Promise<Fields | Refusal> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body.kind === "refusal") return body;
  const parsed = parseJson(body.text);
  if (parsed.kind === "fault") return invalidRequest(`The request body is not valid JSON: ${parsed.problem}`);
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalidRequest("the body has to be a JSON object");
  }
  return { kind: "fields", fields: value as Record<string, unknown> };
}

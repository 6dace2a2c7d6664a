import { decodeRequestHead, encodeError } from "@palimpsest/core/protocols";
import { Hono } from "hono";
import { checkObject, checkSimulator } from "../check-parts.js";
import type { JudgedCall, SimulatedCall, Verdict } from "../outcome.js";
import type { Delivery } from "../player.js";
import type { Simulator } from "../simulator.js";
import { createAuthenticator } from "./authenticate.js";
import { addControlRoutes } from "./control.js";
import { deliver } from "./deliver.js";
import { asksForStream, describeExchange, type Exchange } from "./exchange.js";
import { createFaultPlan, disturb, type Fault, type FaultPlan } from "./faults.js";
import { giveAnswer, type Answer, type Given } from "./give-answer.js";
import { createLiveClock } from "./live-clock.js";
import { listModels, retrieveModel } from "./models.js";
import { asBedrock } from "./event-stream.js";
import { parseJson } from "./parse-json.js";
import { bedrockPlatform, signingKey, unwrap, vertexPlatform, type Platform } from "./platforms.js";
import { createRateMeter, defaultRateLimits, rateLimited, type RateLimits } from "./rate-limits.js";
import { readBody } from "./read-body.js";
import { invalidRequest, notAllowed, refusals, type Refusal } from "./refusal.js";
import { createRequestLog, type RequestLog, type RequestRecord } from "./request-log.js";

export interface SimulatorAppOptions {
  readonly simulator: Simulator;
  /** The keys that are accepted; any key without it. */
  readonly apiKeys?: readonly string[];
  /**
   * Told of every answered request to the API. The record holds no key and no content; beside it stands the call itself
   * with its outcome, where it was judged: for those who look for cache breaks (`createBreakFinder`).
   */
  readonly onRequest?: (record: RequestRecord, judged?: JudgedCall) => void;
  /** Told what was thrown where an answer is "Internal server error": a fault of the simulator itself. */
  readonly onError?: (error: unknown) => void;
  readonly log?: RequestLog;
  readonly faults?: FaultPlan;
  /** The largest body, in bytes; 32 MB like the API's. */
  readonly maxBodyBytes?: number;
  readonly rateLimits?: RateLimits;
  /** The window that every model is said to have, where the simulator was given one. */
  readonly window?: number;
  /** `live` (the default): simulated time passes with real time. `manual`: only when it is advanced. */
  readonly clock?: "live" | "manual";
  /** Lets the control endpoints be called under any `Host`, not only under names of this machine. */
  readonly remoteControl?: boolean;
}

/**
 * The simulated API as a function. It answers whatever the request is and never throws; a response of the type
 * "error" (`Response.error()`) stands for a connection that was cut before the response began.
 */
export type SimulatorApp = (request: Request) => Promise<Response>;

const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;
/**
 * The official clients add the version to `ANTHROPIC_BASE_URL`; the AI SDK takes it for an address that holds it. The newer of
 * the two addresses of Bedrock has a name before it.
 */
const MESSAGES_PATHS = ["/v1/messages", "/messages", "/anthropic/v1/messages"];
const VERTEX_PATH = "/projects/:project/locations/:region/publishers/anthropic/models/:target";
const ORGANIZATION = "5f3a1c52-7d0e-4b8e-9a41-2c6d8e0f1b37";

/** An answer that can be logged and sent. */
interface Prepared {
  readonly given: Given;
  readonly delivery: Delivery;
  readonly verdict: Verdict | undefined;
}

export function createSimulatorApp(options: SimulatorAppOptions): SimulatorApp {
  checkObject("createSimulatorApp", options);
  checkSimulator("createSimulatorApp", options.simulator);
  const { simulator, onRequest, onError, window, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
  const { rateLimits = defaultRateLimits, log = createRequestLog(), faults = createFaultPlan() } = options;
  const authenticate = createAuthenticator(options.apiKeys);
  const rates = createRateMeter(rateLimits);
  const clock = options.clock === "manual" ? { sync: () => {} } : createLiveClock(simulator);
  let requests = 0;

  const begin = (request: Request, platform?: Platform): Exchange => {
    requests += 1;
    const requestId = `req_sim${String(requests).padStart(21, "0")}`;
    return {
      requestId,
      request,
      workspace: null,
      body: undefined,
      bytes: 0,
      faults: [],
      judged: undefined,
      platform,
    };
  };

  const admit = (exchange: Exchange): Refusal | undefined => {
    const { headers } = exchange.request;
    const identity = authenticate({
      apiKey: decodeRequestHead(headers).apiKey ?? signingKey(headers.get("authorization")),
      isBearer: (headers.get("x-api-key") ?? "").trim() === "",
    });
    if (identity.kind === "refusal") return identity;
    exchange.workspace = identity.workspace;
    // A platform has the version in the body.
    const isSaid = exchange.platform !== undefined || (headers.get("anthropic-version") ?? "").trim() !== "";
    return isSaid ? undefined : refusals.versionMissing;
  };

  const call = async (exchange: Exchange, endpoint: SimulatedCall["endpoint"]): Promise<Answer> => {
    if (endpoint === "messages") exchange.faults = faults.take();
    const refused = admit(exchange);
    if (refused !== undefined) return refused;
    const body = await readBody(exchange.request, maxBodyBytes);
    if (body.kind === "refusal") return body;
    exchange.bytes = body.bytes;
    const parsed = parseJson(body.text);
    if (parsed.kind === "fault") {
      return invalidRequest(`The request body is not valid JSON: ${parsed.problem}`);
    }
    const { platform, request } = exchange;
    const unwrapped = platform === undefined ? undefined : unwrap(platform, parsed.value);
    if (unwrapped?.kind === "refusal") return unwrapped;
    const value = unwrapped === undefined ? parsed.value : unwrapped.body;
    exchange.body = value;
    const failure = exchange.faults.map(failureOf).find((failure) => failure !== undefined);
    if (failure !== undefined) return failure;
    clock.sync();
    const head = decodeRequestHead(request.headers);
    const { apiVersion, betas = head.betas } = unwrapped ?? head;
    const workspace = exchange.workspace ?? "";
    const { delayMs = 0 } = disturb({}, exchange.faults);
    const judged: SimulatedCall = { endpoint, body: value, workspace, betas, apiVersion, delayMs };
    const outcome = simulator.call(judged);
    exchange.judged = { call: judged, outcome };
    return outcome;
  };

  /** The error that a fault is; undefined for one that disturbs the delivery. */
  const failureOf = (fault: Fault): Refusal | undefined => {
    if (fault.fault === "429") {
      const { retryAfterSeconds } = fault;
      return rateLimited({
        limits: rateLimits,
        organization: ORGANIZATION,
        retryAfterSeconds,
        now: simulator.now(),
      });
    }
    if (fault.fault === "401") return refusals.keyInvalid;
    if (fault.fault === "413") return refusals.tooLarge;
    if (fault.fault === "500") return refusals.internal;
    return fault.fault === "529" ? refusals.overloaded : undefined;
  };

  const prepare = (exchange: Exchange, answer: Answer): Prepared => {
    const { requestId, faults, body } = exchange;
    const delivery = disturb(("delivery" in answer ? answer.delivery : undefined) ?? {}, faults);
    const given = giveAnswer(answer, { delivery, isStream: asksForStream(body), requestId });
    return { given, delivery, verdict: answer.kind === "message" ? answer.verdict : undefined };
  };

  const finish = (exchange: Exchange, { given, delivery, verdict }: Prepared): Promise<Response> => {
    const { requestId, request, workspace } = exchange;
    const now = simulator.now();
    if (workspace !== null) rates.count({ workspace, now, verdict });
    const record = log.add(describeExchange(exchange, { given, verdict, now }));
    onRequest?.(record, exchange.judged);
    return deliver({
      status: given.status,
      content: given.content,
      delivery,
      headers: {
        ...(given.content.kind === "stream"
          ? { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }
          : { "content-type": "application/json" }),
        "request-id": requestId,
        "anthropic-organization-id": ORGANIZATION,
        ...(workspace === null
          ? {}
          : { "anthropic-workspace-id": workspace, ...rates.headers(workspace, now) }),
        ...given.headers,
      },
      signal: request.signal,
      arrived: (journey) => log.arrive(record.sequence, journey),
    });
  };

  const answer = async (
    request: Request,
    decide: (exchange: Exchange) => Answer | Promise<Answer>,
    platform?: Platform,
  ): Promise<Response> => {
    const exchange = begin(request, platform);
    let prepared: Prepared;
    try {
      prepared = prepare(exchange, await decide(exchange));
    } catch (error) {
      onError?.(error);
      prepared = prepare(exchange, refusals.internal);
    }
    return finish(exchange, prepared);
  };

  const describeModels = (
    exchange: Exchange,
    find: () => Readonly<Record<string, unknown>> | Refusal,
  ): Answer => {
    const refused = admit(exchange);
    if (refused !== undefined) return refused;
    const found = find();
    return isRefusal(found) ? found : { kind: "json", body: found };
  };

  const routes = new Hono();
  for (const path of MESSAGES_PATHS) {
    routes.post(path, ({ req }) => answer(req.raw, (exchange) => call(exchange, "messages")));
    routes.post(`${path}/count_tokens`, ({ req }) =>
      answer(req.raw, (exchange) => call(exchange, "count_tokens")),
    );
  }
  const answerOn = async (request: Request, platform: Platform | undefined): Promise<Response> => {
    if (platform === undefined) return answer(request, () => refusals.notFound);
    const response = await answer(request, (exchange) => call(exchange, platform.endpoint), platform);
    return platform.name === "bedrock" && response.type !== "error" ? asBedrock(response) : response;
  };
  routes.post("/model/:model/:method", ({ req }) =>
    answerOn(req.raw, bedrockPlatform(req.param("model"), req.param("method"))),
  );
  for (const base of ["/v1", ""]) {
    routes.post(`${base}${VERTEX_PATH}`, ({ req }) => answerOn(req.raw, vertexPlatform(req.param("target"))));
  }
  routes.get("/v1/models", ({ req }) =>
    answer(req.raw, (exchange) =>
      describeModels(exchange, () => listModels(new URL(req.url).searchParams, window)),
    ),
  );
  routes.get("/v1/models/:id", ({ req }) =>
    answer(req.raw, (exchange) => describeModels(exchange, () => retrieveModel(req.param("id"), window))),
  );
  for (const path of MESSAGES_PATHS.flatMap((path) => [path, `${path}/count_tokens`])) {
    routes.all(path, ({ req }) => answer(req.raw, () => notAllowed("POST")));
  }
  for (const path of ["/v1/models", "/v1/models/:id"]) {
    routes.all(path, ({ req }) => answer(req.raw, () => notAllowed("GET, HEAD")));
  }
  addControlRoutes(routes, { simulator, clock, log, faults, remoteControl: options.remoteControl === true });
  routes.notFound(({ req }) => answer(req.raw, () => refusals.notFound));
  // Only what is thrown outside of `answer` comes here: by an observer, or by a control endpoint.
  const fail = (error: unknown): Response => {
    onError?.(error);
    const body = encodeError({ ...refusals.internal, requestId: "req_sim_unknown" });
    return Response.json(body, { status: 500, headers: { "request-id": "req_sim_unknown" } });
  };
  routes.onError(fail);
  return async (request) => {
    try {
      return await routes.fetch(request);
    } catch (error) {
      return fail(error);
    }
  };
}

const isRefusal = (value: Readonly<Record<string, unknown>> | Refusal): value is Refusal =>
  value["kind" as keyof typeof value] === "refusal";

import type { ModelProvider, ProviderCapabilities, StreamOutput } from "@palimpsest/core";
import { createSimulator, type SimulatorOptions } from "../simulator/core/create-simulator.js";
import { createSimulatorApp, type SimulatorApp } from "../simulator/http/app.js";
import { createFaultPlan, type FaultPlan } from "../simulator/http/faults.js";
import { createRequestLog, type RequestLog } from "../simulator/http/request-log.js";
import { createEchoPlayer } from "../simulator/players/echo-player.js";
import { withSummaries } from "../simulator/players/summaries-player.js";
import { ownIdPrefix } from "../simulator/own-id-prefix.js";
import type { Simulator } from "../simulator/simulator.js";
import { encodeMessagesCall } from "./messages-call.js";
import { messagesCapabilities } from "./messages-capabilities.js";
import { readMessagesResponse } from "./messages-response.js";
import { streamWithRetries, type RetryPorts, type RetrySettings } from "./retry.js";

export interface EmbeddedProviderOptions extends Partial<RetrySettings>, Partial<SimulatorOptions> {
  /**
   * A simulator that exists already. Of the options for simulators only `window` and `cacheEdits` then count:
   * they have to say what it was made with. Default: a new one, whose player echoes and writes summaries.
   */
  readonly simulator?: Simulator;
  /** `live` (the default): simulated time passes with real time. `manual`: only when it is advanced. */
  readonly clock?: "live" | "manual";
  /** What goes wrong, and when. */
  readonly faults?: FaultPlan;
  readonly log?: RequestLog;
  /** Puts something between the provider and the simulator: to look at requests, or to answer some itself. */
  readonly wrap?: (app: SimulatorApp) => SimulatorApp;
  readonly idleTimeoutMs?: number;
  /** What differs from what is known of the Messages API and the model. */
  readonly capabilities?: Partial<ProviderCapabilities>;
  readonly ports?: Partial<RetryPorts>;
}

/** A provider that needs neither a key nor a network, and what stands after it. */
export interface EmbeddedProvider extends ModelProvider {
  readonly simulator: Simulator;
  /** Every request, without content. */
  readonly log: RequestLog;
  readonly faults: FaultPlan;
}

const ENDPOINT = "http://embedded.invalid/v1/messages";
/** Any key is good; it says whose cache it is. */
const KEY = { "x-api-key": "embedded" } as const;

const encoder = new TextEncoder();

/**
 * The simulated Messages API in this process: every call is encoded, judged, answered and decoded as over the
 * network, only without one.
 */
export function createEmbeddedProvider(options: EmbeddedProviderOptions = {}): EmbeddedProvider {
  const { cacheEdits = false, window, clock = "live", wrap = (app) => app, capabilities } = options;
  const { faults = createFaultPlan(), log = createRequestLog(), ports = {}, idleTimeoutMs } = options;
  const { simulator = newSimulator(options) } = options;
  const app = wrap(
    createSimulatorApp({ simulator, log, faults, clock, ...(window === undefined ? {} : { window }) }),
  );

  return {
    name: "embedded",
    simulator,
    log,
    faults,
    capabilities: (model) => messagesCapabilities(model, { differences: { cacheEdits, ...capabilities } }),
    stream(call, callOptions = {}) {
      const encoded = encodeMessagesCall(call);

      async function* attempt(
        signal: AbortSignal,
        alive: () => void,
        sent: () => void,
      ): AsyncGenerator<StreamOutput> {
        if (encoded.kind === "failure") return yield { kind: "error", failure: encoded.failure };
        const body = encoder.encode(encoded.body);
        const headers = { ...KEY, ...encoded.headers, "content-length": String(body.byteLength) };
        sent();
        const response = await app(new Request(ENDPOINT, { method: "POST", headers, body, signal }));
        if (response.type === "error") throw new ConnectionLost();
        yield* readMessagesResponse(response, { alive });
      }

      return streamWithRetries(attempt, {
        call: callOptions,
        settings: options,
        ports,
        ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
      });
    },
  };
}

/** As a socket has it that is closed by the other side. */
class ConnectionLost extends Error {
  readonly code = "ECONNRESET";
}

function newSimulator(options: EmbeddedProviderOptions): Simulator {
  const { player = withSummaries(createEchoPlayer()), cacheEdits, window, counter } = options;
  const { acceptForeignSignatures, clock = "live" } = options;
  // A conversation that another process goes on with has answers of two simulators: one id, one answer.
  const { idPrefix = clock === "live" ? ownIdPrefix() : undefined } = options;
  const startTime = options.startTime ?? (clock === "live" ? Date.now() : undefined);
  return createSimulator({
    player,
    ...(cacheEdits === undefined ? {} : { cacheEdits }),
    ...(window === undefined ? {} : { window }),
    ...(counter === undefined ? {} : { counter }),
    ...(acceptForeignSignatures === undefined ? {} : { acceptForeignSignatures }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(idPrefix === undefined ? {} : { idPrefix }),
  });
}

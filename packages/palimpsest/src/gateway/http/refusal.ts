import { encodeError } from "@palimpsest/core/protocols";
import type { Protocol } from "./protocol.js";

/** What the gateway itself says instead of the upstream. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  /** One sentence: what is wrong and what to do. */
  readonly message: string;
}

/** A refusal in the form that the client of a protocol expects errors in. */
export function refusalBody({ type, message }: Refusal, protocol: Protocol): Buffer {
  const text = `palimpsest gateway: ${message}`;
  const body =
    protocol === "openai"
      ? { error: { message: text, type, param: null, code: null } }
      : encodeError({ type, message: text, requestId: "req_palimpsest_gateway" });
  return Buffer.from(JSON.stringify(body));
}

export const refusals = {
  notAPath: {
    status: 400,
    type: "invalid_request_error",
    message: "the request must name a path of this server, such as /v1/messages",
  },
  strangeHost: {
    status: 403,
    type: "permission_error",
    message: "requests must come under a name of this machine, such as 127.0.0.1 or localhost",
  },
  unknownToken: {
    status: 401,
    type: "authentication_error",
    message: "the path must begin with the token of this gateway, as in /TOKEN/anthropic/v1/messages",
  },
  tooLarge: {
    status: 413,
    type: "request_too_large",
    message: "the body is larger than the gateway passes on",
  },
  webSocket: {
    status: 426,
    type: "invalid_request_error",
    message: "a WebSocket is not passed on: the same must be asked by HTTP",
  },
  notFound: { status: 404, type: "not_found_error", message: "there is no such control endpoint" },
  notAllowed: {
    status: 405,
    type: "invalid_request_error",
    message: "this control endpoint has another method",
  },
  webPage: {
    status: 403,
    type: "permission_error",
    message: "the control endpoints do not answer web pages",
  },
  noControlToken: {
    status: 401,
    type: "authentication_error",
    message: "the token of the lock file must be sent as Authorization: Bearer TOKEN",
  },
} as const satisfies Readonly<Record<string, Refusal>>;

/** Where the upstream was never reached. */
export const unreachable = (address: string, reason: string): Refusal => ({
  status: 502,
  type: "api_error",
  message: `${address} could not be reached (${reason}); check the network and --upstream`,
});

import type { ModelCall, ModelRequest, PlainFailure } from "@palimpsest/core";
import { encodeRequest, type EncodedRequest } from "@palimpsest/core/protocols";
import type { PieceEncoder, RequestPieces } from "./request-pieces.js";

type Failed = { readonly kind: "failure"; readonly failure: PlainFailure };

export type EncodedCall = ({ readonly kind: "encoded" } & EncodedRequest) | Failed;

/** The same, its body in pieces. */
export type PiecedCall =
  | {
      readonly kind: "encoded";
      readonly body: RequestPieces;
      readonly headers: EncodedRequest["headers"];
    }
  | Failed;

/**
 * A call to the Messages API as it is sent. Fields that nobody here knows are sent as they are. It is streamed,
 * unless no token is asked for (a cache is warmed): the API does not stream those. Never throws.
 */
export function encodeMessagesCall(call: ModelCall): EncodedCall {
  try {
    const { body, headers } = encodeRequest(sentRequest(call), { betas: call.betas ?? [] });
    return checked({ body, headers: { ...headers, ...lowerCase(call.headers ?? {}) } });
  } catch {
    return { kind: "failure", failure: noJson };
  }
}

/** The same bytes, in pieces of which a conversation's next request shares the longest. Never throws. */
export function encodeMessagesPieces(call: ModelCall, encode: PieceEncoder): PiecedCall {
  try {
    const request = sentRequest(call);
    const { headers } = encodeRequest(WITHOUT_BODY, { betas: call.betas ?? [] });
    return checked({ body: encode(request), headers: { ...headers, ...lowerCase(call.headers ?? {}) } });
  } catch {
    return { kind: "failure", failure: noJson };
  }
}

const WITHOUT_BODY: ModelRequest = { model: "", max_tokens: 0, messages: [] };

function sentRequest({ request }: ModelCall): ModelRequest {
  const { stream: _theirs, ...rest } = request;
  return request.max_tokens === 0 ? rest : { ...rest, stream: true };
}

const checked = <Encoded extends { readonly headers: EncodedRequest["headers"] }>(
  encoded: Encoded,
): ({ readonly kind: "encoded" } & Encoded) | Failed =>
  canBeSent(encoded.headers) ? { kind: "encoded", ...encoded } : { kind: "failure", failure: badHeader };

/** Whether HTTP can carry such headers. */
export function canBeSent(headers: Readonly<Record<string, string>>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}

export const badHeader: PlainFailure = {
  kind: "invalid-request",
  message: "a header has a name or a value that cannot be sent",
  retryable: false,
};

const noJson: PlainFailure = {
  kind: "invalid-request",
  message: "the request holds something that cannot be written as JSON",
  retryable: false,
};

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

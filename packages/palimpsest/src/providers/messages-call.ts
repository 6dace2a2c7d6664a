import type { ModelCall, PlainFailure } from "@palimpsest/core";
import { encodeRequest, type EncodedRequest } from "@palimpsest/core/protocols";

export type EncodedCall =
  | ({ readonly kind: "encoded" } & EncodedRequest)
  | { readonly kind: "failure"; readonly failure: PlainFailure };

/**
 * A call to the Messages API as it is sent. Fields that nobody here knows are sent as they are. It is streamed,
 * unless no token is asked for (a cache is warmed): the API does not stream those. Never throws.
 */
export function encodeMessagesCall({ request, betas = [], headers = {} }: ModelCall): EncodedCall {
  const { stream: _theirs, ...rest } = request;
  const isStreamed = request.max_tokens !== 0;
  try {
    const encoded = encodeRequest(isStreamed ? { ...rest, stream: true } : rest, { betas });
    const all = { ...encoded.headers, ...lowerCase(headers) };
    return canBeSent(all)
      ? { kind: "encoded", body: encoded.body, headers: all }
      : { kind: "failure", failure: badHeader };
  } catch {
    return { kind: "failure", failure: noJson };
  }
}

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

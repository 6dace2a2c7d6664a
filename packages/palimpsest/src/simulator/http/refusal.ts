/** An answer of the API that is an error, before it is put into HTTP. */
export interface Refusal {
  readonly kind: "refusal";
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly errorCode?: string;
  /** Response headers that only this error has. */
  readonly headers?: Readonly<Record<string, string>>;
}

const refusal = (status: number, type: string, message: string): Refusal => ({
  kind: "refusal",
  status,
  type,
  message,
});

/** The API's own words, where the API answers without having looked into the body. */
export const refusals = {
  keyMissing: refusal(401, "authentication_error", "x-api-key header is required"),
  keyInvalid: refusal(401, "authentication_error", "invalid x-api-key"),
  bearerInvalid: refusal(401, "authentication_error", "Invalid bearer token"),
  versionMissing: refusal(400, "invalid_request_error", "anthropic-version: header is required"),
  notFound: refusal(404, "not_found_error", "Not Found"),
  tooLarge: refusal(413, "request_too_large", "Request exceeds the maximum size"),
  internal: refusal(500, "api_error", "Internal server error"),
  overloaded: refusal(529, "overloaded_error", "Overloaded"),
} as const;

export const invalidRequest = (message: string): Refusal => refusal(400, "invalid_request_error", message);

export const notAllowed = (allow: string): Refusal => ({
  ...refusal(405, "invalid_request_error", "Method Not Allowed"),
  headers: { allow },
});

export const forbidden = (message: string): Refusal => refusal(403, "permission_error", message);

export const unknownModel = (id: string): Refusal =>
  refusal(404, "not_found_error", `model: ${id.slice(0, 256)}`);

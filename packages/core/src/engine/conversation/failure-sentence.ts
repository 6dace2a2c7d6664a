import type { ApiFailure, ApiFailureKind } from "../../messages/call/failure.js";
import { withCause } from "../../messages/with-cause.js";

const leads: Readonly<Record<ApiFailureKind, string>> = {
  "context-overflow": "The conversation does not fit into the model's window",
  "request-too-large": "The request has too many bytes",
  "rate-limit": "The API's rate limit is reached",
  overloaded: "The API is overloaded",
  authentication: "The API refused the credentials",
  permission: "The API does not permit this",
  billing: "The API refused for reasons of billing",
  "not-found": "The API does not know what was asked for",
  "invalid-request": "The API refused the request",
  conflict: "The API reported a conflict",
  timeout: "The API took too long",
  connection: "The connection to the API failed",
  aborted: "The call was called off",
  api: "The API failed",
};

/** A failed call in one sentence for a person: what happened, in the server's words where it has some. */
export const failureSentence = ({ kind, message }: Pick<ApiFailure, "kind" | "message">): string =>
  withCause(leads[kind], message);

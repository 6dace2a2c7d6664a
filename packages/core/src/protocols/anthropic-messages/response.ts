import type { ModelResponse } from "../../messages/call/response.js";
import { findBlockFault } from "./block-fault.js";
import { isFields, type Fields } from "../../messages/fields.js";
import type { WireErrorBody } from "./wire.js";

export type DecodedResponse =
  | { readonly kind: "message"; readonly message: ModelResponse }
  /** A well-formed error body where a message was expected: for `decodeError`. */
  | { readonly kind: "error-body"; readonly body: WireErrorBody }
  /** Neither: the first field that is not as it should be; an empty path means the body itself. */
  | { readonly kind: "malformed"; readonly path: string; readonly expected: string };

/**
 * What the body of a response is. Never throws. Checked is what a reader of the message relies on; fields
 * nobody here knows are kept, and a body that is complete comes back as the same reference.
 */
export function decodeResponse(body: unknown): DecodedResponse {
  if (!isFields(body)) return malformed("", "an object");
  if (body["type"] === "error") return decodeErrorBody(body);
  const fault = findMessageFault(body);
  return fault ?? { kind: "message", message: withStopFields(body) };
}

type Malformed = Extract<DecodedResponse, { kind: "malformed" }>;

function malformed(path: string, expected: string): Malformed {
  return { kind: "malformed", path, expected };
}

function decodeErrorBody(body: Fields): DecodedResponse {
  const { error } = body;
  if (!isFields(error)) return malformed("error", "an object");
  if (typeof error["type"] !== "string") return malformed("error.type", "a string");
  if (typeof error["message"] !== "string") return malformed("error.message", "a string");
  return { kind: "error-body", body: body as unknown as WireErrorBody };
}

function findMessageFault(body: Fields): Malformed | undefined {
  if (body["type"] !== "message") return malformed("type", '"message"');
  if (body["role"] !== "assistant") return malformed("role", '"assistant"');
  for (const field of ["id", "model"]) {
    if (typeof body[field] !== "string") return malformed(field, "a string");
  }
  for (const field of ["stop_reason", "stop_sequence"]) {
    const value = body[field];
    if (value !== undefined && value !== null && typeof value !== "string") {
      return malformed(field, "a string or null");
    }
  }
  return findContentFault(body["content"]) ?? findUsageFault(body["usage"]);
}

function findContentFault(content: unknown): Malformed | undefined {
  if (!Array.isArray(content)) return malformed("content", "a list");
  for (const [index, block] of content.entries()) {
    const fault = findBlockFault(block);
    if (fault !== undefined) {
      const path = fault.field === undefined ? `content.${index}` : `content.${index}.${fault.field}`;
      return malformed(path, fault.expected);
    }
  }
  return undefined;
}

function findUsageFault(usage: unknown): Malformed | undefined {
  if (!isFields(usage)) return malformed("usage", "an object");
  for (const field of ["input_tokens", "output_tokens"]) {
    if (typeof usage[field] !== "number") return malformed(`usage.${field}`, "a number");
  }
  return undefined;
}

/** Servers that speak the protocol leave these two out where they are null. */
function withStopFields(body: Fields): ModelResponse {
  const complete =
    body["stop_reason"] !== undefined && body["stop_sequence"] !== undefined
      ? body
      : {
          ...body,
          stop_reason: body["stop_reason"] ?? null,
          stop_sequence: body["stop_sequence"] ?? null,
        };
  return complete as unknown as ModelResponse;
}

import type { ModelRequest } from "../../messages/call/request.js";
import type { HeaderReader } from "../headers.js";

/** The version that is asked for, unless the caller wants another one. */
const CURRENT_VERSION = "2026-10-21";

/** The version of a request that names none. */
const VERSION_WITHOUT_HEADER = "2023-06-01";

export interface EncodeRequestOptions {
  readonly betas?: readonly string[];
  readonly apiVersion?: string;
}

export interface EncodedRequest {
  readonly body: string;
  /** Names in lower case. How to authenticate is the transport's matter. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The request must hold JSON values only, as its type says; it is serialised in the order of its keys. */
export function encodeRequest(request: ModelRequest, options: EncodeRequestOptions = {}): EncodedRequest {
  const { betas = [], apiVersion = CURRENT_VERSION } = options;
  const names = [...new Set(betas)].filter((name) => name !== "");
  return {
    body: JSON.stringify(request),
    headers: {
      "content-type": "application/json",
      "anthropic-version": apiVersion,
      ...(names.length > 0 ? { "anthropic-beta": names.join(",") } : {}),
    },
  };
}

/** What the headers of a request say. */
export interface RequestHead {
  /** From `x-api-key`, else from `Authorization: Bearer`. */
  readonly apiKey: string | undefined;
  readonly betas: readonly string[];
  readonly apiVersion: string;
}

/** What the headers of a request say: version, betas, key. */
export function decodeRequestHead(headers: HeaderReader): RequestHead {
  return {
    apiKey: present(headers.get("x-api-key")) ?? bearerToken(headers.get("authorization")),
    betas: (headers.get("anthropic-beta") ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
    apiVersion: present(headers.get("anthropic-version")) ?? VERSION_WITHOUT_HEADER,
  };
}

function present(value: string | null): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}

function bearerToken(authorization: string | null): string | undefined {
  return authorization === null ? undefined : /^\s*bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
}

import { isFields, type Fields } from "../fields.js";
import type { SimulatedCall } from "../outcome.js";
import { invalidRequest, type Refusal } from "./refusal.js";

/** The API as another company offers it: the same messages in an envelope of its own. */
export interface Platform {
  readonly name: "bedrock" | "vertex";
  readonly endpoint: SimulatedCall["endpoint"];
  /** Bedrock and Vertex have it in the path; counting on Vertex in the body. */
  readonly model?: string;
  readonly isStream: boolean;
}

/** `/model/MODEL/invoke` and `/model/MODEL/invoke-with-response-stream`. */
export function bedrockPlatform(model: string, method: string): Platform | undefined {
  if (method !== "invoke" && method !== "invoke-with-response-stream") return undefined;
  return { name: "bedrock", endpoint: "messages", model, isStream: method !== "invoke" };
}

/** `…/publishers/anthropic/models/MODEL:rawPredict` and `:streamRawPredict`; `count-tokens` is a model of its own. */
export function vertexPlatform(target: string): Platform | undefined {
  const [, model = "", method] = /^(.+):(rawPredict|streamRawPredict)$/.exec(target) ?? [];
  if (method === undefined) return undefined;
  if (model === "count-tokens") return { name: "vertex", endpoint: "count_tokens", isStream: false };
  return { name: "vertex", endpoint: "messages", model, isStream: method === "streamRawPredict" };
}

/** Fields of the API that a platform does not know. */
const unknownFields: Readonly<Record<Platform["name"], readonly string[]>> = {
  bedrock: ["diagnostics"],
  vertex: ["diagnostics", "context_management", "compaction"],
};

/** Both platforms have versions of their own, which are the first one of the API. */
const FIRST_VERSION = "2023-06-01";

export interface Unwrapped {
  readonly kind: "unwrapped";
  readonly body: unknown;
  readonly apiVersion: string;
  /** Those in the body; undefined where the header says them. */
  readonly betas: readonly string[] | undefined;
}

/** The request as the API itself would have got it. */
export function unwrap(platform: Platform, sent: unknown): Unwrapped | Refusal {
  if (!isFields(sent)) return { kind: "unwrapped", body: sent, apiVersion: FIRST_VERSION, betas: undefined };
  const { anthropic_version: version, anthropic_beta: betas, ...rest } = sent;
  if (typeof version !== "string") return invalidRequest("anthropic_version: Field required");
  const strange = unknownFields[platform.name].find((field) => field in rest);
  if (strange !== undefined) return invalidRequest(`${strange}: Extra inputs are not permitted`);
  return {
    kind: "unwrapped",
    body: bodyOf(platform, rest),
    apiVersion: /^\d{4}-/.test(version) ? version : FIRST_VERSION,
    betas: Array.isArray(betas) ? betas.filter((beta) => typeof beta === "string") : undefined,
  };
}

const bodyOf = ({ name, model, isStream }: Platform, rest: Fields): Fields => ({
  ...rest,
  ...(model === undefined ? {} : { model }),
  ...(name === "bedrock" && isStream ? { stream: true } : {}),
});

/** The name of the key that a request to AWS is signed with: whose cache it is. */
export const signingKey = (authorization: string | null): string | undefined =>
  /^AWS4-HMAC-SHA256 .*\bCredential=([^/,\s]+)\//.exec(authorization ?? "")?.[1];

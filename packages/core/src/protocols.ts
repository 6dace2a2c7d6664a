export type { WireDelta, WireErrorBody, WireEvent } from "./protocols/anthropic-messages/wire.js";
export {
  encodeError,
  decodeError,
  errorStatus,
  type ErrorParts,
} from "./protocols/anthropic-messages/errors.js";
export type { HeaderReader } from "./protocols/headers.js";
export {
  decodeRequestHead,
  encodeRequest,
  type EncodedRequest,
  type EncodeRequestOptions,
  type RequestHead,
} from "./protocols/anthropic-messages/request.js";
export { decodeResponse, type DecodedResponse } from "./protocols/anthropic-messages/response.js";
export {
  decodeSseEvent,
  formatSseEvent,
  startSse,
  stepSse,
  type SseEvent,
  type SseState,
  type SseStep,
} from "./protocols/sse.js";
export {
  endStream,
  startStream,
  stepStream,
  type StreamState,
  type StreamStep,
} from "./protocols/anthropic-messages/stream-decoder.js";
export { encodeStream, type EncodeStreamOptions } from "./protocols/anthropic-messages/stream-encoder.js";
export { billedUsage, type BilledUsage } from "./messages/billed-usage.js";
export { contextTokens } from "./protocols/anthropic-messages/usage.js";
export { decodeChatError } from "./protocols/openai-chat/errors.js";
export {
  encodeChatRequest,
  type EncodeChatRequestOptions,
  type EncodedChatRequest,
} from "./protocols/openai-chat/request.js";
export {
  decodeChatResponse,
  type DecodeChatOptions,
  type DecodedChatResponse,
} from "./protocols/openai-chat/response.js";
export {
  CHAT_DONE,
  decodeChatEvent,
  endChatStream,
  startChatStream,
  stepChatStream,
  type ChatStreamState,
  type ChatStreamStep,
} from "./protocols/openai-chat/stream-decoder.js";
export { sendable } from "./messages/call/sendable-request.js";
export type { ErrorResponse } from "./protocols/error-response.js";
export { decodeChatUsage } from "./protocols/openai-chat/usage.js";
export {
  defaultRetrySettings,
  resolveRetrySettings,
  waitBeforeRetry,
  type AttemptFacts,
  type RetryPorts,
  type RetrySettings,
} from "./messages/call/retry-rules.js";

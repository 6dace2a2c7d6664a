export { createAnthropicProvider, type AnthropicProviderOptions } from "./anthropic.js";
export { createEmbeddedProvider, type EmbeddedProvider, type EmbeddedProviderOptions } from "./embedded.js";
export type { SdkClient, SdkRequest } from "./sdk-client.js";
export { createOpenAiCompatibleProvider, type OpenAiCompatibleProviderOptions } from "./openai-compatible.js";
export {
  defaultRetrySettings,
  streamWithRetries,
  type Attempt,
  type RetryOptions,
  type RetryPorts,
  type RetrySettings,
} from "./retry.js";

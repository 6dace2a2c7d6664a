/**
 * A client of the official SDK that is there already: `Anthropic`, or one of its siblings for other platforms
 * (`AnthropicBedrock`, `AnthropicBedrockMantle`, `AnthropicVertex`). It authenticates, and knows where to send.
 */
export interface SdkClient {
  readonly baseURL: string;
  post(path: string, options: SdkRequest): { asResponse(): Promise<Response> };
}

/** What is asked of it, in the SDK's own words. */
export interface SdkRequest {
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  readonly timeout: number;
  readonly maxRetries: 0;
  // oxlint-disable-next-line typescript/no-explicit-any -- each copy of the SDK has a type of its own for it
  readonly middleware: any[];
}

/** Whether it talks to Bedrock or Vertex, whatever its models are called. */
export const isCloudClient = (client: SdkClient): boolean =>
  /Bedrock|Vertex/.test((client.constructor as { readonly name?: string }).name ?? "");

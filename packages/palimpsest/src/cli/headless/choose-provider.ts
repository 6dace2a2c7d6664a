import type { ModelProvider } from "@palimpsest/core";
import type { Terminal } from "../terminal.js";

export interface ChosenProvider {
  readonly provider: ModelProvider;
  /** What the person should know about it. */
  readonly notice?: string;
}

/**
 * The Messages API, or a server that speaks it, where there is a key or an address; otherwise the simulated one in
 * this process, which needs neither. An address with an OpenAI key, and none of Anthropic's, is an OpenAI-compatible
 * server.
 */
export async function chooseProvider(
  baseUrl: string | undefined,
  env: Terminal["env"],
  limits: { readonly stallTimeoutMs?: number } = {},
): Promise<ChosenProvider> {
  const address = baseUrl ?? (env["ANTHROPIC_BASE_URL"] || undefined);
  const key = env["ANTHROPIC_API_KEY"] || undefined;
  const token = env["ANTHROPIC_AUTH_TOKEN"] || undefined;
  const openAiKey = env["OPENAI_API_KEY"] || undefined;
  if (address !== undefined && key === undefined && token === undefined && openAiKey !== undefined) {
    const { createOpenAiCompatibleProvider } = await import("../../providers/openai-compatible.js");
    return { provider: createOpenAiCompatibleProvider({ ...limits, baseUrl: address, apiKey: openAiKey }) };
  }
  if (address !== undefined || key !== undefined || token !== undefined) {
    const { createAnthropicProvider } = await import("../../providers/anthropic.js");
    const { createNodeFetch } = await import("../../providers/node-fetch.js");
    const credentials =
      key !== undefined ? { apiKey: key } : token !== undefined ? { authToken: token } : { apiKey: "none" };
    return {
      provider: createAnthropicProvider({
        ...limits,
        ...credentials,
        ...(address === undefined ? {} : { baseUrl: address }),
        // Only the global one knows of proxies.
        ...(env["NODE_USE_ENV_PROXY"] === "1" ? {} : { fetch: createNodeFetch() }),
      }),
    };
  }
  const { createEmbeddedProvider } = await import("../../providers/embedded.js");
  return {
    provider: createEmbeddedProvider(),
    notice:
      "No ANTHROPIC_API_KEY and no --base-url: the embedded model answers, which only repeats what it is told.",
  };
}

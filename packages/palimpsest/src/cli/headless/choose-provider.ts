import type { ModelProvider } from "@palimpsest/core";
import { isLoopback } from "../../providers/loopback.js";
import type { Terminal } from "../terminal.js";
import { NoKeyError, StartError } from "./start-error.js";

export interface ChosenProvider {
  readonly provider: ModelProvider;
  /** The variable that its key comes from; `none` where it has none. */
  readonly apiKeySource: string;
}

export interface ProviderChoice {
  /** A server that speaks the Messages API. Default: `ANTHROPIC_BASE_URL`. */
  readonly baseUrl?: string;
  /** The simulated API in this process, whatever keys there are. */
  readonly embedded?: boolean;
  readonly stallTimeoutMs?: number;
  /** The server deletes results inside its cache where it is told to. */
  readonly cacheEdits?: boolean;
  /** Told whether the account is beyond what its plan includes, wherever the API says so. */
  readonly onOverage?: (isInOverage: boolean) => void;
}

const API = "https://api.anthropic.com";

/**
 * The Messages API, or a server that speaks it. An address with an OpenAI key, and none of Anthropic's, is an
 * OpenAI-compatible server. Without a key only a server on this machine is asked. Rejects with `StartError` where
 * nobody can answer: a job whose secret is empty must not look like one that was done.
 */
export async function chooseProvider(
  { baseUrl, embedded = false, stallTimeoutMs, cacheEdits = false, onOverage }: ProviderChoice,
  env: Terminal["env"],
): Promise<ChosenProvider> {
  const limits = stallTimeoutMs === undefined ? {} : { stallTimeoutMs };
  if (embedded) {
    const { createEmbeddedProvider } = await import("../../providers/embedded.js");
    return { provider: createEmbeddedProvider({ cacheEdits }), apiKeySource: "none" };
  }
  const given = (name: string): string | undefined => (env[name]?.trim() === "" ? undefined : env[name]);
  const address = baseUrl ?? given("ANTHROPIC_BASE_URL");
  const key = given("ANTHROPIC_API_KEY");
  const token = given("ANTHROPIC_AUTH_TOKEN");
  const openAiKey = given("OPENAI_API_KEY");
  const target = address ?? API;
  if (address !== undefined && key === undefined && token === undefined && openAiKey !== undefined) {
    const { createOpenAiCompatibleProvider } = await import("../../providers/openai-compatible.js");
    return {
      provider: createOpenAiCompatibleProvider({
        ...limits,
        baseUrl: address,
        apiKey: openAiKey,
        fetch: await fetchFor(target, env),
      }),
      apiKeySource: "OPENAI_API_KEY",
    };
  }
  // Whoever sets headers may authenticate with them.
  const needsNoKey =
    address !== undefined && (isLoopback(address) || given("ANTHROPIC_CUSTOM_HEADERS") !== undefined);
  if (key === undefined && token === undefined && !needsNoKey) {
    throw new NoKeyError(noKeyMessage(env["ANTHROPIC_API_KEY"], address));
  }
  const [{ createAnthropicProvider }, { overageIn }, { wantsLongCache }] = await Promise.all([
    import("../../providers/anthropic.js"),
    import("../../providers/overage.js"),
    import("../../providers/messages-capabilities.js"),
  ]);
  const credentials =
    key !== undefined ? { apiKey: key } : token !== undefined ? { authToken: token } : { apiKey: "none" };
  return {
    provider: createAnthropicProvider({
      ...limits,
      ...credentials,
      ...(address === undefined ? {} : { baseUrl: address }),
      fetch: await fetchFor(target, env),
      ...(cacheEdits ? { capabilities: { cacheEdits } } : {}),
      longCache: wantsLongCache(env),
      onHeaders(headers) {
        const isInOverage = overageIn(headers);
        if (isInOverage !== undefined) onOverage?.(isInOverage);
      },
    }),
    apiKeySource:
      key !== undefined ? "ANTHROPIC_API_KEY" : token !== undefined ? "ANTHROPIC_AUTH_TOKEN" : "none",
  };
}

async function fetchFor(address: string, env: Terminal["env"]): Promise<typeof fetch> {
  const { createProviderFetch } = await import("../../providers/provider-fetch.js");
  try {
    return await createProviderFetch(address, env);
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error));
  }
}

function noKeyMessage(key: string | undefined, address: string | undefined): string {
  const what = key === undefined ? "there is no key" : "the variable ANTHROPIC_API_KEY is empty";
  const where =
    address === undefined
      ? "name a server on this machine with --base-url or ANTHROPIC_BASE_URL"
      : "let --base-url or ANTHROPIC_BASE_URL name a server on this machine, which needs none";
  return `${what}: set ANTHROPIC_API_KEY, or ${where}, or try things out with --embedded, where nobody answers but an echo`;
}

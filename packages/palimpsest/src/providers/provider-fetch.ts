import { isLoopback } from "./loopback.js";
import { createNodeFetch } from "./node-fetch.js";
import { loadOptional } from "./optional-package.js";
import { proxyFor } from "./proxy-for.js";

/** Errors before the proxy was reached. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** What went wrong with the proxy itself; `failures.ts` has a sentence for each code. */
class ProxyError extends Error {
  readonly code: "PROXY_UNREACHABLE" | "PROXY_REFUSED";

  constructor(code: ProxyError["code"], cause: unknown) {
    super(code, { cause });
    this.name = "ProxyError";
    this.code = code;
  }
}

/**
 * The `fetch` for calls to a server: through a proxy where the environment names one for it (`proxyFor`), and directly
 * otherwise. A server on this machine is never asked through a proxy. Rejects with a sentence where the proxy's address
 * is none.
 */
export async function createProviderFetch(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<typeof fetch> {
  const proxy = isLoopback(address) ? undefined : proxyFor(address, env);
  if (proxy === undefined) return createNodeFetch();
  const { ProxyAgent, fetch: send } = await loadOptional(() => import("undici"), {
    name: "undici",
    need: "calls through a proxy need",
  });
  // How long a server may say nothing is the provider's own matter.
  const dispatcher = new ProxyAgent({ uri: proxy, bodyTimeout: 0, headersTimeout: 0 });
  return async (input, init) => {
    try {
      return await send(input as string, { ...(init as object), dispatcher });
    } catch (error) {
      throw asProxyError(error) ?? error;
    }
  };
}

/** Deeper than any chain of causes that is seen. */
const DEEPEST_CAUSE = 5;

function asProxyError(error: unknown, depth: number = 0): ProxyError | undefined {
  if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return undefined;
  if (UNREACHED.has((error as NodeJS.ErrnoException).code)) return new ProxyError("PROXY_UNREACHABLE", error);
  if (error.message.startsWith("Proxy response")) return new ProxyError("PROXY_REFUSED", error);
  return asProxyError(error.cause, depth + 1);
}

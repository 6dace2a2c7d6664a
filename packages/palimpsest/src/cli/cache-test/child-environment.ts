type Environment = Readonly<Record<string, string | undefined>>;

/** A key that opens nothing, for clients that do not start without one. */
const DUMMY_KEY = "sk-ant-simulated";
const LOOPBACK = "127.0.0.1,localhost,::1";

/** The environment of a program whose calls are to come here: the address, and a key where it has none. */
export function childEnvironment(env: Environment, url: string): NodeJS.ProcessEnv {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  const hasKey = isSet("ANTHROPIC_API_KEY") || isSet("ANTHROPIC_AUTH_TOKEN");
  // Where a proxy is named, calls to this machine must not go through it.
  const direct = (name: string): string => (isSet(name) ? `${env[name] ?? ""},${LOOPBACK}` : LOOPBACK);
  return {
    ...env,
    ANTHROPIC_BASE_URL: url,
    // The official clients for other platforms, each with the path that it expects.
    ANTHROPIC_BEDROCK_BASE_URL: url,
    ANTHROPIC_BEDROCK_MANTLE_BASE_URL: `${url}/anthropic`,
    ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
    ...(hasKey ? {} : { ANTHROPIC_API_KEY: DUMMY_KEY }),
    NO_PROXY: direct("NO_PROXY"),
    no_proxy: direct("no_proxy"),
  };
}

import { basename } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the gateway can be reached. */
interface Addresses {
  /** `http://127.0.0.1:PORT/anthropic` */
  readonly anthropic: string;
  /** `http://127.0.0.1:PORT/openai/v1` */
  readonly openai: string;
}

/** How a command is started so that it goes through the gateway. */
export interface Arrangement {
  /** Variables of the command alone, beside those that there are. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments before those that were given. */
  readonly args: readonly string[];
  /** A temporary file that the arguments name, and what it holds. */
  readonly file?: { readonly name: string; readonly text: string };
  /** What the command does otherwise than without a gateway, and cannot be given back. */
  readonly differs: readonly string[];
}

export interface ArrangeFacts {
  readonly addresses: Addresses;
  readonly env: Environment;
  /** Whether the upstream is the vendor's own: only then has the gateway's address taken anything away. */
  readonly isVendor: boolean;
  /** Where the temporary file will be. */
  readonly fileAt: (name: string) => string;
}

type Arrange = (facts: ArrangeFacts) => Arrangement;

const nothing = { args: [], differs: [] } as const;

const agents: Readonly<Record<string, Arrange>> = {
  claude: ({ addresses, env, isVendor }) => ({
    ...nothing,
    differs: isVendor
      ? [
          "it asks for no cache that is shared between organisations and for no diagnosis of the cache, as with any other address",
        ]
      : [],
    env: {
      ANTHROPIC_BASE_URL: addresses.anthropic,
      // Tools of MCP servers are loaded when they are asked for; with another address they all stand in every request.
      ...(isVendor && env["ENABLE_TOOL_SEARCH"] === undefined ? { ENABLE_TOOL_SEARCH: "true" } : {}),
    },
  }),
  pi: ({ addresses, fileAt }) => ({
    ...nothing,
    env: {},
    args: ["--extension", fileAt("pi-extension.js")],
    file: { name: "pi-extension.js", text: piExtension(addresses) },
  }),
  opencode: ({ addresses, env }) => ({
    ...nothing,
    env: { OPENCODE_CONFIG_CONTENT: opencodeConfig(addresses, env["OPENCODE_CONFIG_CONTENT"]) },
  }),
  codex: ({ addresses }) => ({
    ...nothing,
    env: {},
    args: ["-c", `openai_base_url=${JSON.stringify(addresses.openai)}`],
  }),
  qwen: ({ addresses }) => ({
    ...nothing,
    env: { OPENAI_BASE_URL: addresses.openai, ANTHROPIC_BASE_URL: addresses.anthropic },
  }),
};

/** How a command is arranged: a known one by its name, any other by the variables that most programs read. */
export function arrangementFor(command: string, facts: ArrangeFacts): Arrangement {
  const name = basename(command).replace(/\.(?:exe|cmd|bat|mjs|js)$/i, "");
  const arrange = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const { addresses, env } = facts;
  const arranged = arrange?.(facts) ?? {
    ...nothing,
    env: { ANTHROPIC_BASE_URL: addresses.anthropic, OPENAI_BASE_URL: addresses.openai },
  };
  return { ...arranged, env: { ...arranged.env, ...withoutProxy(env) } };
}

/** A proxy of the person's is for the way out, not for the way to this machine. */
function withoutProxy(env: Environment): Readonly<Record<string, string>> {
  const hasProxy = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].some(
    (name) => (env[name] ?? "") !== "",
  );
  if (!hasProxy) return {};
  const besides = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  const list = [besides, "127.0.0.1", "localhost"].filter((entry) => entry !== "").join(",");
  return { no_proxy: list, NO_PROXY: list };
}

/** pi takes addresses from its settings alone; an extension of one run changes them for that run. */
const piExtension = ({ anthropic, openai }: Addresses): string =>
  [
    "export default function (pi) {",
    `  pi.registerProvider("anthropic", { baseUrl: ${JSON.stringify(anthropic)} });`,
    `  pi.registerProvider("openai", { baseUrl: ${JSON.stringify(openai)} });`,
    "}",
    "",
  ].join("\n");

/** What the person has given in this way stays, as far as it is not an address. */
function opencodeConfig({ anthropic, openai }: Addresses, given: string | undefined): string {
  const config = parsedObject(given);
  const providers = asObject(config["provider"]);
  const withAddress = (name: string, baseURL: string): object => {
    const provider = asObject(providers[name]);
    return { ...provider, options: { ...asObject(provider["options"]), baseURL } };
  };
  return JSON.stringify({
    ...config,
    provider: {
      ...providers,
      anthropic: withAddress("anthropic", `${anthropic}/v1`),
      openai: withAddress("openai", openai),
    },
  });
}

type Fields = Readonly<Record<string, unknown>>;

const asObject = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

function parsedObject(text: string | undefined): Fields {
  try {
    return asObject(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}

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
  /** The arguments: those that were given, and those that lead an agent here. */
  readonly args: readonly string[];
  /** A temporary file that the arguments name, and what it holds. */
  readonly file?: { readonly name: string; readonly text: string };
  /** What the command does otherwise than without a gateway, and cannot be given back. */
  readonly differs: readonly string[];
}

/** A command as it was given. */
interface Given {
  readonly command: string;
  readonly args: readonly string[];
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

/** The packages of agents whose command has another name. */
const commandsOfPackages: ReadonlyMap<string, string> = new Map([
  ["@anthropic-ai/claude-code", "claude"],
  ["@earendil-works/pi-coding-agent", "pi"],
  ["opencode-ai", "opencode"],
  ["@openai/codex", "codex"],
  ["@qwen-code/qwen-code", "qwen"],
]);

/** Commands that start another one, and the word that may have to stand before its name. */
const launchers: ReadonlyMap<string, string | undefined> = new Map([
  ["npx", undefined],
  ["bunx", undefined],
  ["pnpx", undefined],
  ["pnpm", "dlx"],
  ["yarn", "dlx"],
]);

/** Which agent is started, and how many of the arguments stand before its own. */
function findAgent({ command, args }: Given): { readonly name: string; readonly before: number } {
  const name = commandName(command);
  const word = launchers.get(name);
  if (!launchers.has(name) || (word !== undefined && args[0] !== word)) return { name, before: 0 };
  const first = word === undefined ? 0 : 1;
  // What takes a value (`--package NAME`) may be anything: then nobody knows which word is the command's name.
  const at = args.findIndex((arg, index) => index >= first && !["-y", "--yes", "--"].includes(arg));
  const started = args[at] ?? "";
  if (at < 0 || started.startsWith("-")) return { name, before: 0 };
  const plain = started.replace(/(?<=.)@[^/]*$/, "");
  return { name: commandsOfPackages.get(plain) ?? commandName(plain), before: at + 1 };
}

const commandName = (command: string): string => basename(command).replace(/\.(?:exe|cmd|bat|mjs|js)$/i, "");

/** How a command is arranged: a known one by its name, any other by the variables that most programs read. */
export function arrangementFor(given: Given, facts: ArrangeFacts): Arrangement {
  const { name, before } = findAgent(given);
  const arrange = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const { addresses, env } = facts;
  const arranged = arrange?.(facts) ?? {
    ...nothing,
    env: { ANTHROPIC_BASE_URL: addresses.anthropic, OPENAI_BASE_URL: addresses.openai },
  };
  return {
    ...arranged,
    args: [...given.args.slice(0, before), ...arranged.args, ...given.args.slice(before)],
    env: { ...arranged.env, ...withoutProxy(env) },
  };
}

/** The agents that are known by name. */
export const knownAgents: readonly string[] = Object.keys(agents);

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

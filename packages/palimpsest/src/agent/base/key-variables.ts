import { withoutSecrets } from "../../providers/secrets.js";

/**
 * Variables that hold keys of this program and of the client that it uses. No command that the agent runs sees them,
 * and no file of a repository can have them put into a server's configuration.
 */
export const KEY_VARIABLES: readonly string[] = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
  "ANTHROPIC_IDENTITY_TOKEN",
  "ANTHROPIC_WEBHOOK_SIGNING_KEY",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "OPENAI_API_KEY",
];

/** Variables with addresses that calls go to, or through: they may hold a password. */
const ADDRESS_VARIABLES: readonly string[] = [
  "ANTHROPIC_BASE_URL",
  ...["http_proxy", "https_proxy"].flatMap((name) => [name, name.toUpperCase()]),
];

/** Shorter ones are no keys, and stand in every text. */
const SHORTEST_KEY = 8;

type Environment = Readonly<Record<string, string | undefined>>;

/** The keys that an environment holds, also in further variables, and in the addresses that the calls go to, or through. */
export const keysIn = (env: Environment, more: readonly string[] = []): readonly string[] =>
  [
    ...[...KEY_VARIABLES, ...more].flatMap((name) => {
      const value = env[name] ?? "";
      return name === "ANTHROPIC_CUSTOM_HEADERS" ? [value, ...headerValues(value)] : [value];
    }),
    ...ADDRESS_VARIABLES.flatMap((name) => keysInAddress(env[name] ?? "")),
  ]
    .map((key) => key.trim())
    .filter((key) => key.length >= SHORTEST_KEY);

/** One header a line; a token also without its scheme. */
const headerValues = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => {
    const value = line.slice(line.indexOf(":") + 1).trim();
    return [value, value.slice(value.indexOf(" ") + 1)];
  });

/** What an address holds that only its owner should know: a password, and all that its query says. */
export function keysInAddress(address: string): readonly string[] {
  const url = address.includes("://") ? address : `http://${address}`;
  if (!URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  return [decoded(password), password, ...searchParams.values()].filter((key) => key.length >= SHORTEST_KEY);
}

/** As it was written, where a `%` in it stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Takes the keys of an environment out of a text. What a command prints can hold them although it was not given them:
 * the system shows every program the environment of the others.
 */
export const withoutKeys = (env: Environment, more: readonly string[] = []): ((text: string) => string) =>
  withoutSecrets(keysIn(env, more));

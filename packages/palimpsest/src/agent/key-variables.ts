import { withoutSecrets } from "../providers/secrets.js";

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

/** Shorter ones are no keys, and stand in every text. */
const SHORTEST_KEY = 8;

type Environment = Readonly<Record<string, string | undefined>>;

/** The keys that an environment holds, also in further variables. */
export const keysIn = (env: Environment, more: readonly string[] = []): readonly string[] =>
  [...KEY_VARIABLES, ...more]
    .flatMap((name) => env[name]?.trim() ?? [])
    .filter((key) => key.length >= SHORTEST_KEY);

/**
 * Takes the keys of an environment out of a text. What a command prints can hold them although it was not given them:
 * the system shows every program the environment of the others.
 */
export const withoutKeys = (env: Environment, more: readonly string[] = []): ((text: string) => string) =>
  withoutSecrets(keysIn(env, more));

/** How a server is reached. */
export type McpTransport =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args?: readonly string[];
      /** On top of the few variables that every server gets. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      /** `sse`: the older form of the protocol over HTTP, with a stream beside the requests. */
      readonly kind: "http" | "sse";
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** An MCP server that the user configured. */
export interface McpServerConfig {
  readonly name: string;
  readonly transport: McpTransport;
}

const secretName = /auth|key|token|secret|cookie|passw|credential|session/i;

/**
 * What must not be repeated of a configuration: headers, variables and arguments whose names say so, and what an
 * address carries besides its host.
 */
export function secretsOf({ transport }: McpServerConfig): readonly string[] {
  if (transport.kind !== "stdio")
    return [...headerSecrets(transport.headers ?? {}), ...urlSecrets(transport.url)];
  const inEnv = Object.entries(transport.env ?? {}).flatMap(([name, value]) =>
    secretName.test(name) ? [value] : [],
  );
  return [...inEnv, ...argumentSecrets(transport.args ?? [])];
}

/** All of them: which header carries the key is the server's choice. A token also without its scheme. */
const headerSecrets = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(headers).flatMap((value) => [value, value.replace(/^[\w-]+ +/, "")]);

function urlSecrets(address: string): readonly string[] {
  if (!URL.canParse(address)) return [address];
  const { username, password, pathname, searchParams } = new URL(address);
  const segments = pathname.split("/").filter((segment) => segment.length >= 16);
  return [username, password, ...searchParams.values(), ...segments];
}

/** `--api-key value`, `--api-key=value`. */
const argumentSecrets = (args: readonly string[]): readonly string[] =>
  args.flatMap((argument, index) => {
    const [flag = "", ...rest] = argument.split("=");
    if (rest.length > 0) return secretName.test(flag) ? [rest.join("=")] : [];
    const before = args[index - 1] ?? "";
    return before.startsWith("-") && !before.includes("=") && secretName.test(before) ? [argument] : [];
  });

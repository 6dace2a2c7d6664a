type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that calls to an address go through: `HTTPS_PROXY` or `HTTP_PROXY`, by the address's protocol, unless
 * `NO_PROXY` names the host. Names in small letters go first. Undefined for none. Throws a sentence where the proxy's
 * address is none.
 */
export function proxyFor(address: string, env: Environment): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  const proxy = valueOf(env, protocol === "http:" ? "http_proxy" : "https_proxy");
  if (proxy === undefined) return undefined;
  const exceptions = valueOf(env, "no_proxy")?.text ?? "";
  if (isNamed(exceptions, { hostname, port: port || (protocol === "http:" ? "80" : "443") }))
    return undefined;
  // `proxy:8080` is how many people write it.
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(proxy.text) ? proxy.text : `http://${proxy.text}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new Error(
    `the variable ${proxy.name} must be the address of a proxy, such as http://proxy.example:8080`,
  );
}

function valueOf(
  env: Environment,
  name: string,
): { readonly name: string; readonly text: string } | undefined {
  for (const one of [name, name.toUpperCase()]) {
    const text = env[one]?.trim() ?? "";
    if (text !== "") return { name: one, text };
  }
  return undefined;
}

/** `*`, or a host or domain of the list, with commas or spaces between them; with a port only for that port. */
function isNamed(
  list: string,
  { hostname, port }: { readonly hostname: string; readonly port: string },
): boolean {
  const host = hostname.toLowerCase();
  return list
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      if (entry === "*") return true;
      // An IPv6 address has colons of its own, and stands in brackets where a port follows.
      const [, name = "", wanted] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? ["", `[${entry}]`];
      const domain = name.replace(/^\*?\./, "");
      if (domain === "" || (wanted !== undefined && wanted !== port)) return false;
      return host === domain || host.endsWith(`.${domain}`);
    });
}

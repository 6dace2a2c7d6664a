/** Names of headers whose values are nobody's business. Rather one too many than one too few. */
const secretNames = /auth|key|token|secret|cookie|password|credential/i;

/** What a request is sent with, and where to: all that a server could repeat. */
export interface SentWith {
  readonly url: string | URL;
  readonly headers: Headers;
}

/** What must not be repeated of a request: keys, tokens and cookies in its headers, and what its query says. */
export function secretsIn({ url, headers }: SentWith): readonly string[] {
  const inHeaders = [...headers]
    .filter(([name]) => secretNames.test(name))
    .flatMap(([name, value]) => [value, ...partsOf(name, value)]);
  return [...inHeaders, ...secretsInUrl(new URL(url))];
}

/** A server may have taken a value apart: the token behind its scheme, a cookie behind its name. */
function partsOf(name: string, value: string): readonly string[] {
  if (!/cookie/i.test(name)) return [value.replace(/^[\w-]+ +/, "")];
  return value.split(/; */).map((cookie) => cookie.slice(cookie.indexOf("=") + 1));
}

/** Values as they are written, and as they are meant. A version is what errors are about, and no secret. */
const secretsInUrl = ({ search }: URL): readonly string[] =>
  search
    .slice(1)
    .split("&")
    .flatMap((pair) =>
      /^[^=]*version/i.test(pair)
        ? []
        : [pair.slice(pair.indexOf("=") + 1), ...new URLSearchParams(pair).values()],
    );

/** Shorter ones, such as the `x` that a server without keys is given, stand in every sentence. */
const SHORTEST_SECRET = 4;

/** A function that replaces every secret in a text by `[secret]`; in one pass, where two overlap the longer one. */
export function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets.map((secret) => secret.trim()))]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length);
  if (known.length === 0) return (text) => text;
  const any = new RegExp(
    known.map((secret) => secret.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"),
    "g",
  );
  return (text) => text.replaceAll(any, "[secret]");
}

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

/** A server may have taken a value apart: the token after its scheme, a cookie after its name. */
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

/** What stands where a secret was. */
export const SECRET_MARK = "[secret]";

/** Base64 of shorter ones could stand anywhere. */
const SHORTEST_ENCODED = 8;

/**
 * The forms in which a secret is looked for, the longest first: as it is, within JSON, within an address, and within
 * Base64 of either alphabet, wherever in the encoded bytes it stands. Whoever takes a key apart in any other way gets by.
 */
export function secretForms(secrets: readonly string[]): readonly string[] {
  const known = [...new Set(secrets.map((secret) => secret.trim()))].filter(
    (secret) => secret.length >= SHORTEST_SECRET,
  );
  const forms = known.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(Buffer.from(secret).toString()),
    ...(secret.length >= SHORTEST_ENCODED ? base64Forms(secret) : []),
  ]);
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length);
}

/** Without the characters at either end that depend on what stands beside the secret. */
function base64Forms(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const whole = Math.floor((bytes.length * 8) / 6);
    const plain = bytes.toString("base64").slice(Math.ceil((before * 8) / 6), whole);
    return [plain, plain.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Any of the forms, the first that fits; undefined where there are none. */
export const secretPattern = (forms: readonly string[]): RegExp | undefined =>
  forms.length === 0
    ? undefined
    : new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g");

/** A function that replaces every secret in a text by the mark; in one pass, where two overlap the longer one. */
export function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  const any = secretPattern(secretForms(secrets));
  return any === undefined ? (text) => text : (text) => text.replaceAll(any, SECRET_MARK);
}

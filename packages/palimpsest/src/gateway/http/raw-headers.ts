/** Names and values in turn, as they came: spelling, order and repetition kept. */
export type RawHeaders = readonly string[];

/** What belongs to one connection and not to the message (RFC 9110, 7.6.1). */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "upgrade",
]);

/** What a `Connection` header cannot take away: without it the message would begin or end elsewhere. */
const framing: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding"]);

/** Each name with its value. */
export const pairsOf = (headers: RawHeaders): [name: string, value: string][] =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""] as [string, string]] : []));

/** Every value of a header, in the order in which they came. The name in small letters. */
export function headerValues(headers: RawHeaders, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === name) values.push(headers[at + 1] ?? "");
  }
  return values;
}

/** The first value of a header. The name in small letters. */
export const headerValue = (headers: RawHeaders, name: string): string | undefined =>
  headerValues(headers, name)[0];

export interface PassOn {
  /** What stands in place of the value of `Host`. */
  readonly host?: string;
  /** Whether the next connection knows chunks: HTTP/1.0 does not. */
  readonly knowsChunks: boolean;
}

/** The headers as the other side gets them: all of them, in their order, but for those of the connection. */
export function passedOn(headers: RawHeaders, { host, knowsChunks }: PassOn): string[] {
  const named = new Set(
    headerValues(headers, "connection")
      .flatMap((value) => value.toLowerCase().split(","))
      .map((name) => name.trim()),
  );
  const isChunked = knowsChunks && headerValues(headers, "transfer-encoding").length > 0;
  const passed: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (ofConnection.has(lower) || (named.has(lower) && !framing.has(lower))) continue;
    // Trailers come after chunks, or not at all.
    if ((lower === "transfer-encoding" || lower === "trailer") && !isChunked) continue;
    passed.push(name, lower === "host" && host !== undefined ? host : value);
  }
  return passed;
}

/** Whether a request with these headers has a body. */
export const hasBody = (headers: RawHeaders): boolean =>
  headerValues(headers, "transfer-encoding").length > 0 ||
  headerValues(headers, "content-length").some((value) => Number(value) > 0);

import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { createAddressJudge } from "./public-address.js";

export interface FetchPageOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  /** Whether addresses of this machine and of local networks are allowed: for tests. */
  readonly allowPrivate: boolean;
  readonly resolveHost: ResolveHost;
}

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** The addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export type FetchedPage =
  | {
      readonly kind: "page";
      readonly url: URL;
      readonly status: number;
      readonly contentType: string;
      readonly body: Buffer;
      /** More came than may be read. */
      readonly isCut: boolean;
    }
  /** It points to another host, which nobody has allowed yet. */
  | { readonly kind: "elsewhere"; readonly url: URL }
  | { readonly kind: "failed"; readonly reason: string };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a page of the public internet. Every host is resolved first, all of its addresses are judged, and the
 * connection goes to one of these and nowhere else; so does that of every redirect. Never rejects.
 */
export async function fetchPage(start: URL, options: FetchPageOptions): Promise<FetchedPage> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  let url = start;
  try {
    for (let redirects = 0; ; redirects++) {
      const refusal = refusalOf(url);
      if (refusal !== undefined) return failed(refusal);
      const addresses = await interruptible(addressesOf(url, options), signal);
      if (typeof addresses === "string") return failed(addresses);
      const response = await request(url, { addresses, signal });
      const { statusCode = 0, headers } = response;
      if (!REDIRECTS.has(statusCode) || headers.location === undefined) {
        const { body, isCut } = await readBody(response, { maxBytes: options.maxBytes, signal });
        return {
          kind: "page",
          url,
          status: statusCode,
          contentType: headers["content-type"] ?? "",
          body,
          isCut,
        };
      }
      response.destroy();
      if (!URL.canParse(headers.location, url.href))
        return failed("The page redirects to something that is not an address.");
      const next = new URL(headers.location, url);
      if (redirects >= options.maxRedirects)
        return failed(`The page redirects more than ${options.maxRedirects} times.`);
      if (!isSameSite(url, next)) return { kind: "elsewhere", url: next };
      url = next;
    }
  } catch (error) {
    if (options.signal.aborted) return failed("Interrupted by the person.");
    if (signal.aborted) return failed(`Nothing complete came within ${options.timeoutMs / 1000} seconds.`);
    return failed(`The page could not be fetched (${codeOf(error)}).`);
  }
}

const failed = (reason: string): FetchedPage => ({ kind: "failed", reason });

/** The code alone: messages of errors may quote what was sent. */
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "the connection failed";

function refusalOf(url: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return "Only http and https addresses can be fetched.";
  if (url.username !== "" || url.password !== "")
    return "Addresses with a user name or password are not fetched.";
  return undefined;
}

/** The same host, with or without `www.`, and not from https back to http. */
const isSameSite = (from: URL, to: URL): boolean =>
  bare(from.hostname) === bare(to.hostname) &&
  (from.protocol === to.protocol || to.protocol === "https:") &&
  (from.port === to.port || (from.port === "" && to.port === ""));
const bare = (hostname: string): string => hostname.replace(/^www\./, "");

/** Those to connect to, or why not. */
async function addressesOf(
  { hostname }: URL,
  { allowPrivate, resolveHost }: FetchPageOptions,
): Promise<readonly ResolvedAddress[] | string> {
  const { isIP } = await import("node:net");
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(literal);
  let addresses: readonly ResolvedAddress[];
  try {
    addresses = family === 0 ? await resolveHost(hostname) : [{ address: literal, family }];
  } catch {
    return `There is no host ${hostname}.`;
  }
  if (addresses.length === 0) return `There is no host ${hostname}.`;
  const isPublic = createAddressJudge();
  if (!allowPrivate && !addresses.every(({ address }) => isPublic(address))) {
    return `${hostname} is an address of this machine or of a local network. Those are not fetched.`;
  }
  return addresses;
}

interface Connection {
  readonly addresses: readonly ResolvedAddress[];
  readonly signal: AbortSignal;
}

async function request(url: URL, { addresses, signal }: Connection): Promise<IncomingMessage> {
  const { request: send } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const lookup: LookupFunction = (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
  return new Promise((resolve, reject) => {
    const headers = {
      accept: "text/html, application/xhtml+xml, text/*, application/json;q=0.9, */*;q=0.1",
      "accept-encoding": "identity",
      "user-agent": "palimpsest",
    };
    const sent = send(url, { lookup, signal, headers, agent: false });
    sent.on("response", resolve);
    sent.on("error", reject);
    sent.end();
  });
}

async function readBody(
  response: IncomingMessage,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stream = await decoded(response);
  const stop = (): void => void stream.destroy(new Error("aborted"));
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const part = chunk.subarray(0, maxBytes - bytes);
      chunks.push(part);
      bytes += part.length;
      if (part.length < chunk.length) return { body: Buffer.concat(chunks), isCut: true };
    }
    return { body: Buffer.concat(chunks), isCut: false };
  } finally {
    signal.removeEventListener("abort", stop);
    response.destroy();
  }
}

/** Some servers compress although they were asked not to. */
async function decoded(response: IncomingMessage): Promise<Readable> {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return response;
  const { createBrotliDecompress, createUnzip } = await import("node:zlib");
  const decoder = encoding === "br" ? createBrotliDecompress() : createUnzip();
  response.on("error", (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

/** Rejects as soon as the signal says so; the work itself is left to end unheard. */
function interruptible<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error("aborted"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

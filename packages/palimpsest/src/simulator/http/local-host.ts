/**
 * Whether a request names this machine. A name of another's that leads here is how a web page gets at servers that
 * listen for this machine alone. Both the header and the request's URL count, which a client may make differ.
 */
export function isLocalRequest({ headers, url }: Request): boolean {
  const header = headers.get("host");
  const names = [new URL(url).hostname, ...(header === null ? [] : [header.replace(/:\d{0,9}$/, "")])];
  return names.every((name) => isLoopbackName(name.toLowerCase()));
}

export const isLoopbackName = (name: string): boolean =>
  name === "localhost" ||
  name.endsWith(".localhost") ||
  name === "[::1]" ||
  name === "::1" ||
  (/^127(?:\.\d{1,3}){3}$/.test(name) && name.split(".").every((part) => Number(part) <= 255));

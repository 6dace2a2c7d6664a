import type { HeaderReader } from "./headers.js";

/**
 * How long the server asks to wait: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date, which
 * needs the time `now`. A date in the past is 0; a value that cannot be read is undefined.
 */
export function readRetryAfter(
  headers: HeaderReader | undefined,
  now: number | undefined,
): number | undefined {
  const milliseconds = decimal(headers?.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const value = headers?.get("retry-after");
  const seconds = decimal(value);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  // Every form of an HTTP date begins with the day of the week.
  if (typeof value !== "string" || now === undefined || !/^\s*[a-z]{3}/i.test(value)) return undefined;
  const wait = Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

function decimal(value: string | null | undefined): number | undefined {
  return typeof value === "string" && /^\s*\d{1,12}(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

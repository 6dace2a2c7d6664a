import { TranscriptError } from "@palimpsest/core";
import { pause } from "./on-abort.js";

/** What the store needs of a client: a pool of `pg` is one, and so is a single connection. */
export interface Database {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

/** A name in SQL, whatever it holds. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Throws for a schema that would have to be quoted by everybody who looks at it. */
export function checkSchema(schema: string): string {
  if (SCHEMA_NAME.test(schema)) return schema;
  throw new TranscriptError(
    "bad_id",
    `${JSON.stringify(schema)} cannot name a schema: use small letters, digits and underscores, at most 63, and no digit first.`,
  );
}

/** Whether a text column holds it as it is: what is not Unicode would become the name of something else. */
const isName = (text: unknown, most: number): text is string =>
  typeof text === "string" &&
  text !== "" &&
  text.length <= most &&
  !text.includes("\0") &&
  Buffer.from(text).toString() === text;

/** Throws for a tenant that no key can hold. */
export function checkTenant(tenant: string): string {
  if (isName(tenant, 200)) return tenant;
  throw new TranscriptError(
    "bad_id",
    "A tenant must be a string of 1 to 200 characters, without NUL and lone surrogates.",
  );
}

/** Throws for a key of a batch that no index can hold. */
export function checkKey(key: string): void {
  if (isName(key, 500)) return;
  throw new TranscriptError(
    "bad_id",
    "The key of a batch must be a string of 1 to 500 characters, without NUL and lone surrogates.",
  );
}

const codeOf = (error: unknown): string => {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : "";
};

/** Whether nobody can say if the statement was carried out: asking once more is the only way to know. */
function isLostConnection(error: unknown): boolean {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : "";
  return (
    code.startsWith("08") ||
    code.startsWith("57P") ||
    ["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT", "ENOENT"].includes(code) ||
    // What `pg` itself says has no code.
    /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout )/.test(text)
  );
}

const reasonOf = (error: unknown): string => {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (code === "3F000" || code === "42P01" || code === "42883") {
    return "the tables are not there or older than this program; run `palimpsest postgres migrate`";
  }
  if (code === "42501") return `this role may not do that (${text})`;
  return text;
};

/** Whatever the database says, as a `TranscriptError` whose sentence begins with `what`. */
export function databaseError(what: string, error: unknown): TranscriptError {
  if (error instanceof TranscriptError) return error;
  return new TranscriptError("io", `${what}: ${reasonOf(error)}.`, { cause: error });
}

/** Runs it, and throws what the database says as `databaseError` does. */
export async function withDatabaseErrors<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw databaseError(what, error);
  }
}

/** Waits between tries of a statement whose connection was lost: a database that starts again needs a few seconds. */
const RETRY_MS: readonly number[] = [50, 200, 500, 1000, 2000, 4000];

/**
 * Runs what may be carried out twice again where the connection was lost, for as long as a database needs to start again or
 * for `patienceMs`, or until `signal` is aborted; then throws what was said last.
 */
export async function untilAnswered<T>(
  run: () => Promise<T>,
  {
    signal,
    patienceMs = 8000,
  }: { readonly signal?: AbortSignal | undefined; readonly patienceMs?: number } = {},
): Promise<T> {
  const start = performance.now();
  for (let tries = 0; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const isOver = signal?.aborted === true || performance.now() - start > patienceMs;
      if (!isLostConnection(error) || isOver) throw error;
      await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 0, signal);
    }
  }
}

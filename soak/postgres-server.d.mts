import type { Pool, PoolConfig } from "pg";

/** A server that can be started here. */
export interface PostgresVersion {
  readonly name: string;
  /** Where `initdb` and `postgres` lie; undefined with a reason where they do not. */
  readonly programs: string | undefined;
  readonly missing: string;
}

export interface PostgresServer {
  readonly port: number;
  readonly url: string;
  readonly directory: string;
  /** A pool for its owner; ended with the server. */
  pool(options?: PoolConfig): Pool;
  /** Kills the whole server at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Starts it again without a limit. */
  makeRoom(): Promise<void>;
  stop(): Promise<void>;
}

export function postgresVersions(): readonly PostgresVersion[];
export function startPostgres(
  programs: string,
  settings?: Readonly<Record<string, string>>,
  /** No file of the server may grow beyond this: a full disk, as far as it can tell. More than the 16 MB of a log segment. */
  options?: { readonly fileLimitKb?: number },
): Promise<PostgresServer>;
/** Of the loopback interface. */
export function freePort(): Promise<number>;

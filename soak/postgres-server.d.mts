import type { Pool, PoolConfig } from "pg";

/** A server that can be started here. However the process ends that has started one, the server ends with it. */
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
  /** No file of the server may grow beyond this any more: a full disk, as far as it can tell (`noFullDisk` of full-disk.mjs). */
  fillDisk(limitKb: number): Promise<void>;
  /** Takes the limit away, and starts the server again where that has ended it. */
  makeRoom(): Promise<void>;
  stop(): Promise<void>;
}

export function postgresVersions(): readonly PostgresVersion[];
export function startPostgres(
  programs: string,
  settings?: Readonly<Record<string, string>>,
  /** How large each file of its log is, a power of two; 16 by default. */
  options?: { readonly logSegmentMb?: number },
): Promise<PostgresServer>;
/** Of the loopback interface. */
export function freePort(): Promise<number>;

import pg from "pg";
import { postgresVersions } from "../../soak/postgres-server.mjs";

/** A database of one test file, on a server that other files use too: roles are everybody's. */
export interface OwnDatabase {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  /** A pool for its owner; ended with it. */
  pool(options?: pg.PoolConfig): pg.Pool;
  stop(): Promise<void>;
}

/** The versions of which a server can be started here, and one sentence where there is none. */
export const versionsHere = postgresVersions();
export const firstVersion = versionsHere.find(({ programs }) => programs !== undefined);
export const whyNot =
  firstVersion === undefined ? ` (not run: ${versionsHere.map(({ missing }) => missing).join("; ")})` : "";

/** A new, empty one. `version`: its name in `versionsHere`. */
export async function ownDatabase(version = firstVersion?.name ?? ""): Promise<OwnDatabase> {
  const service = process.env["PALIMPSEST_TEST_POSTGRES"] ?? "";
  const answer = await fetch(`${service}?version=${encodeURIComponent(version)}`);
  if (!answer.ok) throw new Error(await answer.text());
  const made = (await answer.json()) as Pick<OwnDatabase, "name" | "port" | "url">;
  const pools: pg.Pool[] = [];
  return {
    ...made,
    pool(options = {}) {
      const pool = new pg.Pool({ connectionString: made.url, ...options });
      pool.on("error", () => undefined);
      pools.push(pool);
      return pool;
    },
    stop: async () => {
      for (const pool of pools) if (!pool.ended) await pool.end();
    },
  };
}

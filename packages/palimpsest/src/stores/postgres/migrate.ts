import { TranscriptError } from "@palimpsest/core";
import { checkSchema, quoteName, withDatabaseErrors, type Database } from "./database.js";
import { MIGRATIONS, NEWEST_VERSION } from "./migrations/migrations.js";

export interface MigrateOptions {
  readonly schema?: string;
  /** Into how many tables entries are parted by a hash of tenant and conversation; 0 and by default: one table. */
  readonly partitions?: number;
  /** A role that workers use: it gets what the store needs and nothing else. */
  readonly role?: string;
}

export interface SchemaStatus {
  /** 0 where nothing is there. */
  readonly version: number;
  readonly newest: number;
}

/** What a program says of a schema that a later one has brought further. */
export const newerSchema = (schema: string, version: number): TranscriptError =>
  new TranscriptError(
    "io",
    `The schema ${schema} is of a newer version (${version}) than this program knows (${NEWEST_VERSION}); update the program.`,
  );

/** Which step of the schema the database has. */
export async function schemaStatus(
  database: Database,
  { schema = "palimpsest" } = {},
): Promise<SchemaStatus> {
  const name = quoteName(checkSchema(schema));
  return withDatabaseErrors(`The schema ${schema} could not be looked at`, async () => {
    const { rows } = await database.query("select to_regclass($1) is not null as there", [
      `${name}.migration`,
    ]);
    if (rows[0]?.["there"] !== true) return { version: 0, newest: NEWEST_VERSION };
    const { rows: found } = await database.query(
      `select coalesce(max(version), 0) as version from ${name}.migration`,
    );
    return { version: Number(found[0]?.["version"] ?? 0), newest: NEWEST_VERSION };
  });
}

/**
 * Brings the schema to what this program needs, all steps in one transaction, several processes one after the other.
 * `database` is a connection, or a pool of `pg`, of which one connection is used. Gives the versions that were run.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<readonly number[]> {
  const { schema = "palimpsest", partitions = 0, role } = options;
  const name = quoteName(checkSchema(schema));
  if (!Number.isSafeInteger(partitions) || partitions < 0 || partitions > 1024) {
    throw new TranscriptError("io", "The number of partitions must be a whole number from 0 to 1024.");
  }
  return withDatabaseErrors(`The schema ${schema} could not be migrated`, () =>
    onOneConnection(database, (connection) => migrateIn(connection, { name, schema, partitions, role })),
  );
}

/** A transaction needs one, and a pool gives each statement any. */
async function onOneConnection<T>(database: Database, run: (connection: Database) => Promise<T>): Promise<T> {
  if (!isPool(database)) return run(database);
  const connection = await database.connect();
  try {
    return await run(connection);
  } finally {
    connection.release();
  }
}

interface Pool extends Database {
  connect(): Promise<Database & { release(): void }>;
}

/** A single connection has `connect` too, and no count of others. */
const isPool = (database: Database): database is Pool => "totalCount" in database && "connect" in database;

async function migrateIn(
  database: Database,
  {
    name,
    schema,
    partitions,
    role,
  }: Required<Omit<MigrateOptions, "role">> & { readonly name: string; readonly role: string | undefined },
): Promise<readonly number[]> {
  const run: number[] = [];
  await database.query("begin");
  try {
    // Of two that migrate at once the second waits here, and finds everything done.
    await database.query("select pg_advisory_xact_lock(hashtext($1))", [`palimpsest ${schema}`]);
    await database.query(`create schema if not exists ${name}`);
    await database.query(
      `create table if not exists ${name}.migration (version integer primary key, at timestamptz not null default now())`,
    );
    const { rows } = await database.query(`select version from ${name}.migration`);
    const newest = Math.max(0, ...rows.map(({ version }) => Number(version)));
    if (newest > NEWEST_VERSION) throw newerSchema(schema, newest);
    const done = new Set(rows.map(({ version }) => Number(version)));
    for (const { version, sql } of MIGRATIONS) {
      if (done.has(version)) continue;
      await database.query(filled(sql, name, partitions));
      await database.query(`insert into ${name}.migration (version) values ($1)`, [version]);
      run.push(version);
    }
    if (role !== undefined) await grant(database, name, role);
    await database.query("commit");
  } catch (error) {
    await database.query("rollback").catch(() => undefined);
    throw error;
  }
  return run;
}

const TABLES: readonly string[] = ["conversation", "entry", "waiter", "document", "stand_in", "import_line"];

async function grant(database: Database, schema: string, role: string): Promise<void> {
  const to = quoteName(role);
  await database.query(`grant usage on schema ${schema} to ${to}`);
  await database.query(`grant select on ${schema}.migration to ${to}`);
  for (const table of TABLES) {
    await database.query(`grant select, insert, update, delete on ${schema}.${table} to ${to}`);
  }
  await database.query(`grant execute on all functions in schema ${schema} to ${to}`);
}

function filled(sql: string, schema: string, partitions: number): string {
  const tables = Array.from(
    { length: partitions },
    (_, at) =>
      `create table ${schema}.entry_${at} partition of ${schema}.entry for values with (modulus ${partitions}, remainder ${at});`,
  );
  return sql
    .replaceAll(":partitions:", tables.join("\n"))
    .replaceAll(":partition:", partitions === 0 ? "" : " partition by hash (tenant, conversation)")
    .replaceAll(":schema:", schema);
}

/** Binds a role to tenants: whatever it says in SQL, it sees only these. Without a row a role is held by the store alone. */
export async function bindRole(
  database: Database,
  {
    schema = "palimpsest",
    role,
    tenant,
  }: { readonly schema?: string; readonly role: string; readonly tenant: string },
): Promise<void> {
  const name = quoteName(checkSchema(schema));
  await withDatabaseErrors(`The role ${role} could not be bound`, () =>
    database.query(`insert into ${name}.tenant_role (role, tenant) values ($1, $2) on conflict do nothing`, [
      role,
      tenant,
    ]),
  );
}

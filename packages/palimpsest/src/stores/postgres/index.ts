export type { Database } from "./database.js";
export type { FollowedMessage, FollowOptions } from "./follow.js";
export type { ListeningClient } from "./hints.js";
export { bindRole, migrate, schemaStatus, type MigrateOptions, type SchemaStatus } from "./migrate.js";
export type { RetentionOptions } from "./retention.js";
export type { WhenBusy } from "./statements.js";
export {
  createPostgresStore,
  type OpenOptions,
  type PostgresStore,
  type PostgresStoreOptions,
} from "./store.js";
export type { AppendOptions, PostgresWriter } from "./writer.js";

import { appendBatch } from "./append-batch.js";
import type { Migration } from "./migration.js";
import { oldLines } from "./old-lines.js";
import { tables } from "./tables.js";
import { wholeImports } from "./whole-imports.js";

/**
 * What a database must have, the oldest step first. `:schema:` stands for the schema's quoted name. An entry's `seq`
 * is where its line begins in bytes, as it would in a JSONL file, and `head` is that file's length: so hints about
 * places hold in both, and what is appended where is a matter of one number.
 */
export const MIGRATIONS: readonly Migration[] = [tables, wholeImports, appendBatch, oldLines];

export const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

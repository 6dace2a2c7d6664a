import { TranscriptError } from "@palimpsest/core";
import type { Command } from "commander";
import { basename, resolve } from "node:path";
import type { PostgresStore } from "../../stores/postgres/index.js";
import { formatNumber, plural, printable, printableJson, type Terminal } from "../terminal.js";

interface PostgresFlags {
  readonly url?: string;
  readonly schema?: string;
  readonly tenant?: string;
  readonly json?: boolean;
  readonly partitions?: string;
  readonly role?: string;
  readonly as?: string;
  readonly olderThan?: string;
  readonly yes?: boolean;
}

interface Connection {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
  end(): Promise<void>;
}

/** The address is looked for in these, in this order: it holds a password, and arguments are seen by everybody. */
const URL_VARIABLES: readonly string[] = ["PALIMPSEST_POSTGRES_URL", "DATABASE_URL"];

const DAY_MS = 86_400_000;

/** `finish` is told the exit code of the command that ran. */
export function addPostgresCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  const postgres = program
    .command("postgres")
    .description("looks after conversations that are stored in PostgreSQL")
    .addHelpText(
      "after",
      [
        "",
        `The address of the database stands in ${URL_VARIABLES.join(" or ")}, or in --url. Needs the package pg beside it.`,
        "",
        "Example:",
        "  $ palimpsest postgres migrate",
        "  $ palimpsest postgres import session.jsonl --tenant acme",
      ].join("\n"),
    );
  const add = (name: string, description: string): Command =>
    postgres
      .command(name)
      .description(description)
      .option("--url <address>", `the database (default: what ${URL_VARIABLES.join(" or ")} says)`)
      .option("--schema <name>", "the schema that holds the tables", "palimpsest")
      .option("--json", "print one JSON document");
  const ofTenant = (command: Command): Command =>
    command.option("--tenant <name>", "whose conversations", "default");

  const act = async (flags: PostgresFlags, run: (parts: Parts) => Promise<object>): Promise<void> => {
    const connection = await connect(flags, terminal);
    const say = (text: string): void => {
      if (flags.json !== true) terminal.stdout.write(`${printable(text)}\n`);
    };
    try {
      const document = await run({ connection, flags, say });
      if (flags.json === true) terminal.stdout.write(`${printableJson(document)}\n`);
    } finally {
      await connection.end();
    }
  };

  add("migrate", "makes the tables, or brings them to what this version needs")
    .option("--partitions <n>", "part the entries by hash into so many tables; only when they are made", "0")
    .option("--role <name>", "give this role what a worker needs")
    .action(async (flags: PostgresFlags) => {
      await act(flags, migrateTables);
      finish(0);
    });
  add("check", "says whether the tables are there and up to date").action(async (flags: PostgresFlags) => {
    let isReady = false;
    await act(flags, async ({ connection, say }) => {
      const { schemaStatus } = await import("../../stores/postgres/index.js");
      const { schema = "palimpsest" } = flags;
      const status = await schemaStatus(connection, { schema });
      isReady = status.version === status.newest;
      say(
        isReady
          ? `The schema ${schema} is up to date (version ${status.version}).`
          : `The schema ${schema} has version ${status.version}, this program needs ${status.newest}; ${
              status.version > status.newest ? "update the program" : "run `palimpsest postgres migrate`"
            }.`,
      );
      return { schema, ...status, ready: isReady };
    });
    finish(isReady ? 0 : 1);
  });
  ofTenant(add("list", "lists the conversations of a tenant, the newest first")).action(
    async (flags: PostgresFlags) => {
      await act(flags, (parts) =>
        withStore(parts, async (store) => {
          const conversations = await store.list();
          if (conversations.length === 0) parts.say("There are no conversations here yet.");
          for (const { id, bytes, updatedAt } of conversations) {
            const when = new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ");
            parts.say(`${id}  ${when}  ${formatNumber(Math.ceil(bytes / 1024))} KB`);
          }
          return { conversations };
        }),
      );
      finish(0);
    },
  );
  ofTenant(add("import", "stores JSONL transcripts, every line as it is"))
    .argument("<file...>", "transcripts; each becomes the conversation that its file is named after")
    .option("--as <id>", "store the one file under this id")
    .action(async (files: string[], flags: PostgresFlags) => {
      await act(flags, (parts) => importFiles(files, parts));
      finish(0);
    });
  ofTenant(
    add(
      "export",
      "writes a conversation to a file, byte for byte as it was imported or as the JSONL store writes it",
    ),
  )
    .argument("<conversation>", "its id")
    .argument("[file]", "a file that is not there yet (default: ID.jsonl)")
    .action(async (id: string, file: string | undefined, flags: PostgresFlags) => {
      await act(flags, (parts) =>
        withStore(parts, async (store) => {
          const path = resolve(file ?? `${id}.jsonl`);
          await store.exportTo(id, path);
          parts.say(`${id} was written to ${path}.`);
          return { conversation: id, file: path };
        }),
      );
      finish(0);
    });
  ofTenant(add("delete", "deletes conversations with their notes, for good"))
    .argument("<conversation...>", "their ids")
    .option("--yes", "it cannot be undone: say that you mean it")
    .action(async (ids: string[], flags: PostgresFlags) => {
      if (flags.yes !== true)
        throw new Error("what is deleted does not come back; export it first, or say --yes");
      let failures = 0;
      await act(flags, async (parts) => {
        const { deleted, failed } = await deleteConversations(ids, parts, terminal);
        failures = failed.length;
        return { deleted, failed };
      });
      finish(failures === 0 ? 0 : 1);
    });
  ofTenant(add("purge", "deletes lines that are old and not live any more"))
    .requiredOption("--older-than <days>", "how old, in days")
    .action(async (flags: PostgresFlags) => {
      await act(flags, (parts) => purge(parts));
      finish(0);
    });
}

interface Parts {
  readonly connection: Connection;
  readonly flags: PostgresFlags;
  readonly say: (text: string) => void;
}

async function migrateTables({ connection, flags, say }: Parts): Promise<object> {
  const { migrate } = await import("../../stores/postgres/index.js");
  const { schema = "palimpsest", role } = flags;
  const partitions = wholeNumber(flags.partitions ?? "0", "--partitions");
  const run = await migrate(connection, { schema, partitions, ...(role === undefined ? {} : { role }) });
  say(
    run.length === 0
      ? `The schema ${schema} was up to date.`
      : `The schema ${schema} was brought to version ${run.at(-1)}.`,
  );
  return { schema, run };
}

async function importFiles(files: readonly string[], parts: Parts): Promise<object> {
  const { as } = parts.flags;
  if (as !== undefined && files.length > 1)
    throw new Error("--as names one conversation; give one file with it");
  return withStore(parts, async (store) => {
    const imported: { file: string; conversation: string; bytes: number }[] = [];
    for (const file of files) {
      const conversation = as ?? basename(file).replace(/\.jsonl$/, "");
      const bytes = await store.importFrom(conversation, resolve(file));
      imported.push({ file, conversation, bytes });
      parts.say(`${file} was stored as ${conversation} (${formatNumber(Math.ceil(bytes / 1024))} KB).`);
    }
    return { imported };
  });
}

/** Each by itself: one that cannot be deleted keeps no other from it. */
async function deleteConversations(
  ids: readonly string[],
  parts: Parts,
  { stderr }: Terminal,
): Promise<{ readonly deleted: readonly string[]; readonly failed: readonly object[] }> {
  const deleted: string[] = [];
  const failed: { conversation: string; error: string }[] = [];
  await withStore(parts, async (store) => {
    for (const id of ids) {
      try {
        await store.delete(id);
        deleted.push(id);
        parts.say(`${id} was deleted.`);
      } catch (error) {
        if (!(error instanceof TranscriptError)) throw error;
        failed.push({ conversation: id, error: error.message });
        stderr.write(`palimpsest: ${printable(error.message)}\n`);
      }
    }
    return {};
  });
  return { deleted, failed };
}

async function purge(parts: Parts): Promise<object> {
  const days = wholeNumber(parts.flags.olderThan ?? "", "--older-than");
  return withStore(parts, async (store) => {
    const deleted = await store.deleteOld({ before: new Date(Date.now() - days * DAY_MS) });
    parts.say(`${plural(deleted, "line")} deleted.`);
    return { deleted };
  });
}

function wholeNumber(text: string, option: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new Error(`${option} must be a whole number, not ${JSON.stringify(text)}`);
  return value;
}

async function withStore(
  { connection, flags }: Parts,
  run: (store: PostgresStore) => Promise<object>,
): Promise<object> {
  const { createPostgresStore } = await import("../../stores/postgres/index.js");
  const { schema = "palimpsest", tenant = "default" } = flags;
  return run(createPostgresStore({ database: connection, schema, tenant }));
}

async function connect({ url: given }: PostgresFlags, { env }: Terminal): Promise<Connection> {
  const url =
    given ?? URL_VARIABLES.map((name) => env[name]).find((value) => value !== undefined && value !== "");
  if (url === undefined) {
    throw new Error(`no database is named: set ${URL_VARIABLES.join(" or ")}, or give --url`);
  }
  if (!/^postgres(ql)?:\/\/./i.test(url)) {
    throw new Error(
      "the address of the database must begin with postgres://, as in postgres://user@host:5432/name",
    );
  }
  const { default: pg } = await import("pg").catch(() => {
    throw new Error("the package pg is not installed; install it beside palimpsest: npm install pg");
  });
  let client: InstanceType<typeof pg.Client>;
  try {
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    client.on("error", () => undefined);
    await client.connect();
  } catch (error) {
    throw new Error(
      `the database cannot be reached: ${withoutPassword(String((error as Error).message || (error as { code?: unknown }).code), url)}`,
      {
        cause: error,
      },
    );
  }
  return client;
}

/** What a driver says may quote the address. */
function withoutPassword(text: string, url: string): string {
  const password = /^[a-z]+:\/\/[^:@/]*:([^@/]+)@/i.exec(url)?.[1];
  return password === undefined ? text : text.replaceAll(password, "***");
}

import { createServer } from "node:http";
import { once } from "node:events";
import pg from "pg";
import { postgresVersions, startPostgres, type PostgresServer } from "../soak/postgres-server.mjs";

/**
 * Servers that all files of a run have together, each version started when the first file asks: a start costs half a second.
 * Who asks gets a database of its own (test/postgres/own-database.ts).
 */
export default async function postgresForAll(): Promise<() => Promise<void>> {
  const servers = new Map<string, Promise<PostgresServer>>();
  let count = 0;
  const serverOf = (name: string): Promise<PostgresServer> => {
    const programs = postgresVersions().find((version) => version.name === name)?.programs;
    if (programs === undefined) throw new Error(`no server ${name} can be started here`);
    const server = servers.get(name) ?? startPostgres(programs, { max_connections: "300" });
    servers.set(name, server);
    return server;
  };
  const newDatabase = async (version: string): Promise<object> => {
    const { url, port } = await serverOf(version);
    const name = `own_${(count += 1)}`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return { name, port, url: url.replace(/postgres$/, name) };
  };
  const service = createServer((request, response) => {
    const version = new URL(request.url ?? "/", "http://localhost").searchParams.get("version") ?? "";
    newDatabase(version).then(
      (database) => response.end(JSON.stringify(database)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const address = service.address();
  process.env["PALIMPSEST_TEST_POSTGRES"] =
    `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  return async () => {
    service.close();
    service.closeAllConnections();
    for (const server of servers.values()) await (await server).stop();
  };
}

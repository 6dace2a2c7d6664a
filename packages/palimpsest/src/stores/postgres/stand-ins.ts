import type { StandInStore } from "@palimpsest/core/tree";
import { createHash } from "node:crypto";
import { withDatabaseErrors } from "./database.js";
import type { Statements } from "./statements.js";

const keyOf = (key: string): Buffer => createHash("sha256").update(JSON.stringify(key)).digest();

/** A text as a database takes it, whatever it holds. */
const encode = (value: string): string => JSON.stringify(value).replaceAll("\u007f", "\\u007f");
const decode = (text: string): string => String(JSON.parse(text));

/** Stand-ins of the adapters, by tenant: the first insert wins, and the loser uses the winner's bytes, on any machine. */
export function standInRows(statements: Statements, ready: () => Promise<void>): StandInStore {
  return {
    find: (keys) =>
      withDatabaseErrors("Stand-ins could not be looked for", async () => {
        await ready();
        if (keys.length === 0) return undefined;
        const found = await statements.findStandIn(keys.map(keyOf));
        const key = found === undefined ? undefined : keys[found.place];
        return found === undefined || key === undefined
          ? undefined
          : { key, values: found.values.map(decode) };
      }),
    insert: (key, value, from) =>
      withDatabaseErrors("A stand-in could not be stored", async () => {
        await ready();
        const given = from === undefined ? undefined : keyOf(from);
        return decode(await statements.insertStandIn(keyOf(key), encode(value), given));
      }),
  };
}

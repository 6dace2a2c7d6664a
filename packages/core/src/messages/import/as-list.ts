import { ImportError } from "./imported.js";

/** The list, where it is one. Throws `ImportError`: programs without types have nobody else to tell them. */
export function asList<T>(list: readonly T[]): readonly T[] {
  if (Array.isArray(list)) return list;
  throw new ImportError(
    `the messages must be a list, and are ${list === null ? "null" : `of the type ${typeof list}`}`,
  );
}

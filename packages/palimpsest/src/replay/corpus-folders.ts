import { delimiter } from "node:path";

/** The folders that `PALIMPSEST_CORPUS` names: several are written as in `PATH`. Empty parts name none. */
export const corpusFolders = (value: string | undefined): readonly string[] =>
  (value ?? "").split(delimiter).filter((folder) => folder.trim() !== "");

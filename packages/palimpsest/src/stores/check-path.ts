import { PalimpsestError } from "@palimpsest/core";

/** Throws what is wrong with a place that was handed in: an empty one would be the folder that the program was started in. */
export function checkPath(caller: string, path: unknown, what = "the path"): void {
  if (typeof path === "string" && path !== "") return;
  throw new PalimpsestError("bad_option", `${caller}: ${what} must be a text that is not empty`);
}

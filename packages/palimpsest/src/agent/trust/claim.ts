import { createHash } from "node:crypto";
import { realPathOf } from "../base/real-path.js";

/** Something of a repository that holds only where the person has trusted the folder. */
export interface Claim {
  readonly file: string;
  /** What it is, for a person. Names, never values: those may be secrets. */
  readonly what: string;
  /** Of the place and of all that it says: what was trusted is known again, what changed is not. */
  readonly digest: string;
}

const MAX_WHAT = 120;

/** `value` is what stands in the file, before anything is filled in. */
export function createClaim(file: string, what: string, value: unknown): Claim {
  const said = JSON.stringify([realPathOf(file), what, value]);
  return {
    file,
    what: what.length > MAX_WHAT ? `${what.slice(0, MAX_WHAT)}…` : what,
    digest: createHash("sha256").update(said).digest("hex"),
  };
}

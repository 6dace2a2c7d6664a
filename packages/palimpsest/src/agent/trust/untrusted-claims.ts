import { relative, resolve } from "node:path";
import { realPathOf, wayInside } from "../base/real-path.js";
import { shownPath } from "../base/shown-path.js";
import type { Claim } from "./claim.js";
import type { TrustedFolder } from "./trust-store.js";

export interface UntrustedClaims {
  readonly claims: readonly Claim[];
  /** The folder, or one above it, was trusted: these are new since, or say something else now. */
  readonly isChanged: boolean;
}

/** Those that no answer of the person covers: an answer is for a folder, all below it, and what they held then. */
export function untrustedClaims(
  claims: readonly Claim[],
  { cwd, trusted }: { readonly cwd: string; readonly trusted: readonly TrustedFolder[] },
): UntrustedClaims {
  const place = realPathOf(resolve(cwd));
  const answers = trusted.filter(({ folder }) => wayInside(folder, place) !== undefined);
  const known = new Set(answers.flatMap((answer) => answer.claims));
  return { claims: claims.filter(({ digest }) => !known.has(digest)), isChanged: answers.length > 0 };
}

const MAX_LISTED = 30;

/** Why no agent starts, what was found, and what to do: several lines. */
export function untrustedMessage({ claims, isChanged }: UntrustedClaims, cwd: string): string {
  const found = claims.slice(0, MAX_LISTED).map(claimLine(cwd));
  const rest = claims.length - found.length;
  return [
    isChanged
      ? "this folder has changed since you trusted it: it asks for more, which only a trusted folder gets"
      : "this folder is not trusted, and it asks for what only a trusted folder gets",
    ...found,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    'if you trust whoever wrote it: --trust or PALIMPSEST_TRUST=1 for this run, "palimpsest trust" in this folder to keep the answer; or leave its settings out with --setting-sources user',
  ].join("\n");
}

/** A claim with its file, seen from the working directory. */
export const claimLine =
  (cwd: string) =>
  ({ file, what }: Claim): string =>
    `  ${shownPath(relative(cwd, file))}: ${shownPath(what)}`;

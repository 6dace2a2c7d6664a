import { isAbsolute, join } from "node:path";

type GlobPattern =
  | {
      readonly kind: "pattern";
      /** The part before the first wildcard of an absolute pattern: where to search instead. */
      readonly directory: string | undefined;
      readonly pattern: string;
    }
  /** With a sentence for the model. */
  | { readonly kind: "refused"; readonly reason: string };

const MAX_LENGTH = 1000;
/** Each further star of one name takes a name's length times as long in the worst case. */
const MAX_STARS = 3;
const MAX_GLOBSTARS = 4;
/** Each further choice can double it. */
const MAX_CHOICES = 4;

/** Makes a pattern harmless: it stays below the directory, and takes no time that a name could blow up. */
export function readGlobPattern(written: string): GlobPattern {
  const refuse = (reason: string): GlobPattern => ({ kind: "refused", reason });
  if (written.trim() === "") return refuse("The pattern is empty. `**/*.ts` finds all TypeScript files.");
  if (written.includes("\0")) return refuse("The pattern holds a NUL character, which no file name can.");
  if (written.length > MAX_LENGTH) return refuse(`The pattern is longer than ${MAX_LENGTH} characters.`);
  const parts = written.split("/");
  if (parts.some((part) => /(?:^|[{,])\.\.(?:$|[},])/.test(part)))
    return refuse("The pattern must not go up with `..`. Give the directory to search as path.");
  const stars = Math.max(...parts.map((part) => part.replaceAll("**", "").split("*").length - 1));
  const globstars = parts.filter((part) => part.includes("**")).length;
  const choices = written.split("{").length - 1;
  if (stars > MAX_STARS || globstars > MAX_GLOBSTARS || choices > MAX_CHOICES)
    return refuse(
      `The pattern has too many wildcards: use at most ${MAX_STARS} \`*\` in one name, ${MAX_GLOBSTARS} \`**\` and ${MAX_CHOICES} \`{…}\`.`,
    );
  if (!isAbsolute(written)) return { kind: "pattern", directory: undefined, pattern: literal(written) };
  const wild = parts.findIndex((part, index) => index === parts.length - 1 || /[*?[{\\]/.test(part));
  return {
    kind: "pattern",
    directory: join("/", ...parts.slice(0, wild)),
    pattern: literal(parts.slice(wild).join("/")),
  };
}

/** Only `*`, `?`, `[…]` and `{…}` mean something: brackets of folders such as `(group)` are names. */
const literal = (pattern: string): string =>
  pattern.replaceAll(/\\.|[()|+]|^!/gs, (found) => (found.length === 2 ? found : `\\${found}`));

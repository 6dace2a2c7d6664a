import type { Environment } from "./settings-files.js";

export type ExpandedText =
  | { readonly kind: "text"; readonly text: string }
  /** A variable that is not set and has no default. */
  | { readonly kind: "missing"; readonly variable: string };

/** `${VAR}` and `${VAR:-default}` replaced; what a variable holds is not looked at again. */
export function expandVariables(text: string, env: Environment): ExpandedText {
  let missing: string | undefined;
  const expanded = text.replaceAll(
    /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (_, name: string, fallback: string | undefined) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (value !== undefined && (value !== "" || fallback === undefined)) return value;
      if (fallback === undefined) missing ??= name;
      return fallback ?? "";
    },
  );
  return missing === undefined ? { kind: "text", text: expanded } : { kind: "missing", variable: missing };
}

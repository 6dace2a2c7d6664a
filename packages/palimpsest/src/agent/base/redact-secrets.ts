type Environment = Readonly<Record<string, string | undefined>>;

const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?(?:_|$)/i;
const secretShapes =
  /\b(?:sk|pk|rk|gh[a-z]|github_pat|xox[a-z])[-_][\w-]{8,}|\bbearer\s+\S{8,}|\bauthorization\s*[:=]\s*[^'"\r\n]+/gi;

/**
 * The text without what looks like a key: values of variables whose name says so, and words in the form of common
 * keys. For what is logged; what a hook says on purpose is left as it is.
 */
export const redactSecrets = (text: string, env: Environment): string => secretRedactor(env)(text);

/** The same for many texts. */
export function secretRedactor(env: Environment): (text: string) => string {
  const values = Object.entries(env)
    .flatMap(([name, value]) =>
      secretName.test(name) && value !== undefined && value.length >= 8 ? [value] : [],
    )
    .toSorted((one, other) => other.length - one.length);
  return (text) =>
    values
      .reduce((rest, value) => rest.replaceAll(value, "[redacted]"), text)
      .replace(secretShapes, "[redacted]");
}

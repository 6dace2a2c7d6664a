/** Fields whose text may begin in the middle of another: what it begins with may be the end of a key. */
const CUT_BEFORE: ReadonlySet<string> = new Set(["before", "after"]);
/** Letters and digits in one word, as keys have them and words do not. */
const END_OF_A_KEY = /^(?=[\w+/=-]*[A-Za-z])(?=[\w+/=-]*\d)[\w+/=-]{12,}/;

/** An answer of the server with every text in it redacted; names of fields are the server's own. */
export function redactedAnswer(answer: unknown, redact: (text: string) => string): unknown {
  const redacted = (value: unknown, name: string): unknown => {
    if (typeof value === "string") {
      const whole = redact(value);
      return CUT_BEFORE.has(name) ? whole.replace(END_OF_A_KEY, "[redacted]") : whole;
    }
    if (Array.isArray(value)) return value.map((item) => redacted(item, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item, key)]));
  };
  return redacted(answer, "");
}

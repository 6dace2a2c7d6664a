const INSIDE_SCRIPT = /[<>&\u2028\u2029]/g;

/**
 * JSON that can stand inside a `<script>` element whatever its strings hold: no tag, comment or entity can begin in
 * it. Parsing gives back the same value.
 */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replace(
    INSIDE_SCRIPT,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it can stand in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** The form in which a summary was asked for. */
export type SummaryForm =
  | { readonly style: "plain" }
  /** `<summary>` with numbered sections, `<analysis>` before it where that was asked for. */
  | { readonly style: "tagged"; readonly analysis: boolean; readonly sections: readonly string[] }
  /** `<state_snapshot>` with an element for each part. */
  | { readonly style: "state-snapshot"; readonly parts: readonly string[] }
  | { readonly style: "observations" }
  /** Markdown headings, as they were asked for. */
  | { readonly style: "headings"; readonly headings: readonly string[] };

const nineSections = [
  "Primary request and intent",
  "Key technical concepts",
  "Files and code sections",
  "Errors and fixes",
  "Problem solving",
  "All user messages",
  "Pending tasks",
  "Current work",
  "Optional next step",
];

const snapshotParts = [
  "overall_goal",
  "key_knowledge",
  "file_system_state",
  "recent_actions",
  "current_plan",
];

/** Reads the form off the words of the request. */
export function summaryForm(words: string): SummaryForm {
  if (words.includes("<state_snapshot>")) return { style: "state-snapshot", parts: snapshotPartsOf(words) };
  if (words.includes("<observations>")) return { style: "observations" };
  if (/<\/?summary>/.test(words)) {
    return { style: "tagged", analysis: /<\/?analysis>/.test(words), sections: sectionsOf(words) };
  }
  const headings = unique(
    [...words.matchAll(/^[ \t]*(#{1,4} +\S.{0,60}?)[ \t\r]*$/gm)].map((match) => match[1] ?? ""),
  );
  return headings.length >= 2 ? { style: "headings", headings: headings.slice(0, 16) } : { style: "plain" };
}

function snapshotPartsOf(words: string): readonly string[] {
  const after = words.slice(words.indexOf("<state_snapshot>") + "<state_snapshot>".length);
  const names = [...after.matchAll(/<([a-z][a-z_]+)>/g)].map((match) => match[1] ?? "");
  const parts = unique(names).filter((name) => !["state_snapshot", "scratchpad", "analysis"].includes(name));
  return parts.length >= 2 ? parts.slice(0, 12) : snapshotParts;
}

/** The titles of the numbered sections, in their order; the usual nine where it names none. */
function sectionsOf(words: string): readonly string[] {
  const titles: string[] = [];
  for (const match of words.matchAll(
    /^[ \t]*(?:#{1,6} *)?\*{0,3}(\d{1,2})[.)]\*{0,3}[ \t]+\*{0,3}([A-Z][^:*\n—–(]{2,60}?)\*{0,3}[ \t\r]*(?:[:*(—–]|$)/gm,
  )) {
    // A number that is next in the count; lists within the analysis start again from one.
    const number = Number(match[1]);
    if (number === 1 && titles.length < 5) titles.length = 0;
    if (number === titles.length + 1) titles.push((match[2] ?? "").trim());
  }
  return titles.length >= 5 ? titles.slice(0, 12) : nineSections;
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];

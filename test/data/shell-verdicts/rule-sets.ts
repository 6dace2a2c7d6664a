/** What the command is started with. */
export interface RuleSet {
  readonly mode?: "default" | "acceptEdits" | "plan" | "bypassPermissions";
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export const ruleSets = {
  /** Only what reads runs unasked. */
  none: {},
  plan: { mode: "plan" },
  edits: { mode: "acceptEdits" },
  /** Harmless programs, for which nobody expects that they run anything else. */
  harmless: { allow: ["Bash(echo:*)", "Bash(cat:*)", "Bash(git status:*)", "Bash(./tool:*)"] },
  /** Everything but two programs. */
  butTouch: { allow: ["Bash"], deny: ["Bash(touch:*)", "Bash(rm:*)"] },
  bypassedButTouch: { mode: "bypassPermissions", deny: ["Bash(touch:*)", "Bash(rm:*)"] },
  /** Files that may not be read, with rules that allow programs which read. */
  hidden: {
    allow: ["Bash(cat:*)", "Bash(git show:*)", "Bash(git log:*)"],
    deny: ["Read(./.env)", "Read(./secrets/**)"],
  },
  /** Everything but the text of some files. */
  butHidden: { allow: ["Bash"], deny: ["Read(./.env)", "Read(./secrets/**)"] },
  /** Programs that put files and links where others may look for them. */
  placing: {
    allow: ["ln", "mv", "tar", "tee", "git checkout", "mkdir"].map((program) => `Bash(${program}:*)`),
  },
} as const satisfies Readonly<Record<string, RuleSet>>;

/** Lifetimes that entries of the cache can have. */
export type Ttl = "5m" | "1h";

export interface SectionChange {
  /** A section's name, or `block 2` where the caller named no sections. */
  readonly name: string;
  readonly change: "changed" | "added" | "removed" | "moved";
  /** Why the section is computed anew for every request, where it is. */
  readonly volatileBecause?: string;
}

/** One change of text for another. */
export interface FromTo {
  readonly from: string;
  readonly to: string;
}

/**
 * Why a prefix could not be read. Changes of the request come in the order of the prompt; the last four are
 * what is left to say when nothing changed.
 */
export type BreakReason =
  | ({ readonly kind: "model-changed" } & FromTo)
  | ({ readonly kind: "speed-changed" } & FromTo)
  | {
      readonly kind: "tools-changed";
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
      readonly reordered: boolean;
    }
  | {
      readonly kind: "system-changed";
      readonly charsDelta: number;
      readonly sections: readonly SectionChange[];
    }
  | {
      readonly kind: "markers-changed";
      readonly ttl?: FromTo;
      readonly scope?: FromTo;
      /** Parts of the prompt that had a marker and have none where it was written. */
      readonly removed?: readonly MarkedPart[];
    }
  | { readonly kind: "betas-changed"; readonly added: readonly string[]; readonly removed: readonly string[] }
  | ({ readonly kind: "effort-changed" } & FromTo)
  | ({ readonly kind: "thinking-changed" } & FromTo)
  | { readonly kind: "body-changed"; readonly fields: readonly string[] }
  | { readonly kind: "edits-changed" }
  | { readonly kind: "auto-mode-changed"; readonly isOn: boolean }
  | { readonly kind: "overage-changed"; readonly isOn: boolean }
  /** Facts of the host's own. */
  | { readonly kind: "facts-changed"; readonly names: readonly string[] }
  /** With the first image, or without the last one, the API drops what it has of the messages. */
  | { readonly kind: "images-changed"; readonly present: boolean }
  | { readonly kind: "citations-changed"; readonly present: boolean }
  /** `position` is the index of the first message that is another, `of` how many were sent before. */
  | { readonly kind: "messages-changed"; readonly position: number; readonly of: number }
  /** What was written last lies too many blocks before every marker that could find it. */
  | { readonly kind: "outside-lookback"; readonly blocks: number }
  /** Possibly: more time passed than the entries were promised. */
  | { readonly kind: "expired"; readonly ttl: Ttl; readonly gapMs: number }
  /** The model drops thinking of earlier turns when a person speaks, and all that stands after it. */
  | { readonly kind: "thinking-stripped" }
  /** Nothing in the request explains it. */
  | { readonly kind: "server-side" };

export type MarkedPart = "tools" | "system" | "messages";

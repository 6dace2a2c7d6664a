import type { AnswerBlock } from "./answer-blocks.js";

/** Something that is finished: it is written into the scrollback once, in its order. Its texts are harmless already. */
export type Item =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "answer"; readonly block: AnswerBlock; readonly hasGap: boolean }
  | { readonly kind: "thinking"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly name: string;
      /** Its input on one line. */
      readonly about: string;
      readonly outcome: "done" | "failed" | "denied";
      readonly milliseconds: number;
      /** The first lines of what it said, or what it changed. */
      readonly preview: readonly PreviewLine[];
      /** Lines that are not shown. */
      readonly more: number;
    }
  | { readonly kind: "notice"; readonly text: string; readonly tone: Tone }
  /** What a command says. */
  | { readonly kind: "output"; readonly text: string; readonly isMarkdown?: boolean }
  /** What the context is made of, to be seen at a glance. */
  | { readonly kind: "grid"; readonly parts: readonly GridPart[]; readonly limit: number }
  /** The line that a compaction leaves. */
  | { readonly kind: "compaction"; readonly text: string };

export type Tone = "plain" | "good" | "warn" | "bad";

export interface GridPart {
  readonly name: string;
  readonly tokens: number;
}

export interface PreviewLine {
  readonly text: string;
  readonly change?: "added" | "removed";
}

/** What Ctrl-O opens. */
export interface Detail {
  readonly title: string;
  readonly text: string;
}

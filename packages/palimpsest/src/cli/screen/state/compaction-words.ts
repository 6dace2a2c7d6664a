import type { EngineStep } from "@palimpsest/core";
import { plural } from "../../terminal.js";
import type { Detail } from "./item.js";

type Compacted = NonNullable<EngineStep["compacted"]>;

/** `114K`. */
export const thousands = (tokens: number): string =>
  tokens < 1000 ? String(Math.round(tokens)) : `${(tokens / 1000).toFixed(tokens < 9950 ? 1 : 0)}K`;

/** `compacted 114K → 22K · $0.06 · 4 messages kept, your words quoted · ctrl-o`. */
export function compactionLine(compacted: Compacted, price: string | undefined): string {
  const { tokensBefore, tokensAfter, kept } = compacted;
  return [
    `compacted ${thousands(tokensBefore)} → ${thousands(tokensAfter)}`,
    ...(price === undefined ? [] : [price]),
    `${plural(kept.length, "message")} kept, your words quoted`,
    "ctrl-o",
  ].join(" · ");
}

/** Who wrote a summary, for a person. */
export const writers: Readonly<Record<Compacted["writer"], string>> = {
  fork: "the model",
  streaming: "the model",
  server: "the API itself",
  notes: "the notes that were kept, without a call",
  extractive: "nobody: it is put together from what was said, without a call",
};

/** What was kept, restored, mended and dropped, and the summary itself. */
export function compactionDetail(compacted: Compacted): Detail {
  const { tokensBefore, tokensAfter, kept, attachments, writer, variant, summary, failedAttempts, restored } =
    compacted;
  const names = (values: readonly { readonly type?: unknown; readonly path?: unknown }[]): string =>
    values
      .map(({ type, path }) =>
        [typeof type === "string" ? type.replaceAll("_", " ") : "", typeof path === "string" ? path : ""]
          .filter((part) => part !== "")
          .join(" "),
      )
      .join(", ") || "nothing";
  return {
    title: `compaction ${thousands(tokensBefore)} → ${thousands(tokensAfter)}`,
    text: [
      `${variant.replaceAll("_", "-")}, written by ${writers[writer]}`,
      `kept word for word: ${plural(kept.length, "message")}; what else you said is quoted in the summary`,
      `restored: ${names(attachments.map(({ attachment }) => attachment as { type?: unknown; path?: unknown }))}`,
      ...(restored === undefined ? [] : [`not restored: ${restored.skipped.length}`]),
      ...failedAttempts.map((failed) => `failed before: ${failed.writer} (${failed.reason})`),
      "",
      summary,
    ].join("\n"),
  };
}

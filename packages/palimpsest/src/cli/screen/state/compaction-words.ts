import { isHumanMessage, type EngineStep } from "@palimpsest/core";
import { plural } from "../../terminal.js";
import type { Detail } from "./item.js";

type Compacted = NonNullable<EngineStep["compacted"]>;

/** `114K`. */
export const thousands = (tokens: number): string =>
  tokens < 1000 ? String(Math.round(tokens)) : `${(tokens / 1000).toFixed(tokens < 9950 ? 1 : 0)}K`;

/** `compacted 114K → 22K · $0.06 · 4 messages kept, 2 of yours; what else you said is quoted · ctrl-o`. */
export function compactionLine(compacted: Compacted, price: string | undefined): string {
  const { tokensBefore, tokensAfter, kept } = compacted;
  const human = kept.filter(isHumanMessage).length;
  return [
    `compacted ${thousands(tokensBefore)} → ${thousands(tokensAfter)}`,
    ...(price === undefined ? [] : [price]),
    `${plural(kept.length, "message")} kept, ${human} of yours; what else you said is quoted`,
    "ctrl-o",
  ].join(" · ");
}

/** What was kept, restored, mended and dropped, and the summary itself. */
export function compactionDetail(compacted: Compacted): Detail {
  const { tokensBefore, tokensAfter, kept, attachments, writer, variant, summary, failedAttempts, restored } =
    compacted;
  const names = (values: readonly { readonly type?: unknown; readonly path?: unknown }[]): string =>
    values
      .map(({ type, path }) => [type, path].filter((part) => typeof part === "string").join(" "))
      .join(", ") || "nothing";
  return {
    title: `compaction ${thousands(tokensBefore)} → ${thousands(tokensAfter)}`,
    text: [
      `${variant.replaceAll("_", "-")}, written by ${writer}`,
      `kept word for word: ${kept.length} messages`,
      `restored: ${names(attachments.map(({ attachment }) => attachment as { type?: unknown; path?: unknown }))}`,
      ...(restored === undefined ? [] : [`not restored: ${restored.skipped.length}`]),
      ...failedAttempts.map((failed) => `failed before: ${failed.writer} (${failed.reason})`),
      "",
      summary,
    ].join("\n"),
  };
}

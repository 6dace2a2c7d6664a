import { visibleText } from "./visible-text.js";

/** Text from a conversation: only ever a text node, in its own direction, breaking anywhere, with nothing hidden in it. */
export function Quoted({ text, class: classes = "" }: { readonly text: string; readonly class?: string }) {
  return <bdi class={`quoted ${classes}`}>{visibleText(text)}</bdi>;
}

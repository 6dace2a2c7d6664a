import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formats } from "../../web/formats.js";
import { visibleLine, visibleText } from "../../web/visible-text.js";
import type { BlockRow, BlockText } from "../contract.js";
import { CACHE_STATES } from "./cache-states.js";
import { useInspector } from "./inspector-state.js";
import { KIND_NAMES, swatchOf } from "./kinds.js";
import { Failure } from "./notices.js";
import { CHARACTERS_AT_ONCE, paths } from "./paths.js";
import { Line, Tokens } from "./small-parts.js";

/** Beside the kind; empty where that says it already. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  tool_use: "call",
  tool_result: "",
  tool: "",
  unknown: "",
};

/** One block of a request in a line; opened, with its text in windows. */
export function BlockItem(props: {
  readonly id: string;
  readonly block: BlockRow | null;
  readonly index: number;
  readonly isOpen: boolean;
  readonly isDifferent?: boolean;
  readonly isAnswer?: boolean;
}) {
  const { id, block, index, isDifferent = false, isAnswer = false } = props;
  const isOpen = useSignal(props.isOpen);
  // Which block the address names may be known later than the block itself.
  useEffect(() => {
    if (props.isOpen) isOpen.value = true;
  }, [props.isOpen]);
  if (block === null) return <div class="block soft">{formats.count(index)} …</div>;
  const { kind, type, name, tokens, estimated, characters, marker, cache, preview, isNew } = block;
  const state = CACHE_STATES[cache];
  return (
    <div class={`block cache-${isAnswer ? "none" : cache}${isDifferent ? " different" : ""}`}>
      <button
        type="button"
        class="block-line"
        data-row
        aria-expanded={isOpen.value}
        disabled={characters === 0}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <span class="block-number">{formats.count(block.index)}</span>
        {isAnswer ? null : (
          <span class={`cache-sign ${cache}`} title={`Cache: ${state.name}`}>
            <span aria-hidden="true">{state.sign}</span>
            <span class="unseen">{state.name}</span>
          </span>
        )}
        <span class={`swatch ${swatchOf(kind)}`} aria-hidden="true" />
        <span class="block-what">
          <b>{KIND_NAMES[kind]}</b> <span class="soft">{TYPE_NAMES[type] ?? visibleLine(type)}</span>
          {name === undefined ? null : <Line text={name} class="block-name" />}
        </span>
        <Line text={preview} class="block-preview" />
        <span class="block-marks">
          {isNew && !isAnswer ? <span class="badge new">new</span> : null}
          {isDifferent ? <span class="badge broken">first difference</span> : null}
          {marker === undefined ? null : <span class="badge marker">⚑ {marker}</span>}
        </span>
        <span class="number block-tokens">
          <Tokens count={tokens} estimated={estimated} />
        </span>
      </button>
      {isOpen.value && characters <= preview.length ? <WholeText text={preview} /> : null}
      {isOpen.value && characters > preview.length ? (
        <BlockTextView id={id} block={block.id} characters={characters} />
      ) : null}
    </div>
  );
}

/** A text that the request's view has whole already. */
const WholeText = ({ text }: { readonly text: string }) => (
  <div class="block-text">
    <pre tabIndex={0} aria-label="Text of the block">
      <bdi>{visibleText(text)}</bdi>
    </pre>
    <p class="note block-foot">{formats.count(text.length)} characters</p>
  </div>
);

/** The text of a block, as much of it as was asked for. */
export function BlockTextView(props: {
  readonly id: string;
  readonly block: string;
  readonly characters: number;
}) {
  const { id, block } = props;
  const { answers } = useInspector();
  const windows = useSignal(1);
  const shown = Array.from({ length: windows.value }, (_, window) => {
    const path = paths.block(id, block, window);
    return { path, answer: answers.of<BlockText>(path).value };
  });
  const characters =
    shown.find(({ answer }) => answer.value !== null)?.answer.value?.characters ?? props.characters;
  const shownCharacters = Math.min(characters, windows.value * CHARACTERS_AT_ONCE);
  const failed = shown.find(({ answer }) => answer.failure !== null && answer.value === null);
  return (
    <div class="block-text">
      <pre tabIndex={0} aria-label="Text of the block">
        {shown.map(({ path, answer }) => (
          <bdi key={path}>{answer.value === null ? "" : visibleText(answer.value.text)}</bdi>
        ))}
      </pre>
      {shown.some(({ answer }) => answer.isLoading && answer.value === null) ? (
        <p class="loading" role="status">
          Reading …
        </p>
      ) : null}
      {failed?.answer.failure == null ? null : <Failure failure={failed.answer.failure} path={failed.path} />}
      <p class="note block-foot">
        {formats.count(shownCharacters)} of {formats.count(characters)} characters
        {shownCharacters < characters ? (
          <button type="button" onClick={() => (windows.value += 1)}>
            Show {formats.count(Math.min(CHARACTERS_AT_ONCE, characters - shownCharacters))} more
          </button>
        ) : null}
      </p>
    </div>
  );
}

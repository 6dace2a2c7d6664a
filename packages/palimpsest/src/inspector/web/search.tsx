import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formats } from "../../web/formats.js";
import { visibleLine } from "../../web/visible-text.js";
import type { ConversationOverview, SearchHits } from "../contract.js";
import { BlockTextView } from "./block-item.js";
import { SourceError } from "./data-source.js";
import { useInspector } from "./inspector-state.js";
import { takesSearchFocus } from "./keys.js";
import { swatchOf } from "./kinds.js";
import { Link } from "./link.js";
import { Empty, Failure } from "./notices.js";
import { paths } from "./paths.js";
import { conversationRoute } from "./route.js";
import { Moment } from "./small-parts.js";
import { VirtualList } from "./virtual-list.js";

type Hit = SearchHits["hits"][number];

interface Found {
  readonly words: string;
  readonly hits: readonly Hit[];
  readonly cursor: string | null;
  readonly share: number;
  readonly isSearching: boolean;
  readonly failure: SourceError | null;
}

const NOTHING: Found = { words: "", hits: [], cursor: null, share: 0, isSearching: false, failure: null };
/** It goes on by itself until so many were found; then by a button. */
const ENOUGH = 200;
const PAUSE = 250;

/** Through everything that was ever in the conversation, also what was compacted away. */
export function Search({ overview }: { readonly overview: ConversationOverview }) {
  const { source } = useInspector();
  const words = useSignal("");
  const found = useSignal<Found>(NOTHING);
  const run = useRef(0);
  const field = useRef<HTMLInputElement>(null);

  // Before the next key is heard: what is typed right after the key that led here is meant for the field.
  useLayoutEffect(() => {
    if (takesSearchFocus()) field.current?.focus();
  }, []);

  const go = async (from: Found, enough: number): Promise<void> => {
    const own = (run.current += 1);
    let now: Found = { ...from, isSearching: true, failure: null };
    found.value = now;
    do {
      try {
        const next = (await source.get(paths.search(overview.id, now.words, now.cursor))) as SearchHits;
        if (own !== run.current) return;
        const hits = now.hits.concat(next.hits);
        now = Object.assign({}, now, { hits, cursor: next.cursor, share: next.share });
      } catch (error) {
        if (own !== run.current) return;
        const failure =
          error instanceof SourceError
            ? error
            : new SourceError({ code: "failed", status: 0, message: "The search failed." });
        found.value = { ...now, isSearching: false, failure };
        return;
      }
      found.value = now;
    } while (now.cursor !== null && now.hits.length < enough);
    found.value = { ...now, isSearching: false };
  };

  useEffect(() => {
    const wanted = words.value.trim();
    run.current += 1;
    if (wanted === "") {
      found.value = NOTHING;
      return;
    }
    const timer = setTimeout(() => void go({ ...NOTHING, words: wanted }, ENOUGH), PAUSE);
    return () => clearTimeout(timer);
  }, [words.value]);

  const { hits, cursor, share, isSearching, failure } = found.value;
  return (
    <div class="search">
      <input
        ref={field}
        type="search"
        placeholder="Search everything, also what was compacted away"
        aria-label="Search this conversation"
        value={words.value}
        onInput={({ currentTarget }) => (words.value = currentTarget.value)}
      />
      <p class="note" role="status">
        {found.value.words === ""
          ? "Words are found in texts, calls and results, whatever the case of their letters."
          : `${formats.count(hits.length)}${cursor === null ? "" : " or more"} found${isSearching ? `, ${formats.share(share)} looked through` : ""}`}
      </p>
      {failure === null ? null : <Failure failure={failure} />}
      {hits.length === 0 && !isSearching && found.value.words !== "" && failure === null ? (
        <Empty>Nothing in this conversation has these words.</Empty>
      ) : null}
      <VirtualList
        label="Found"
        class="hits"
        count={hits.length}
        itemHeight={64}
        scrolls="page"
        item={(index) => {
          const hit = hits[index];
          return hit === undefined ? null : <HitRow id={overview.id} hit={hit} />;
        }}
      />
      {cursor !== null && !isSearching ? (
        <button type="button" onClick={() => void go(found.value, hits.length + ENOUGH)}>
          Search on
        </button>
      ) : null}
    </div>
  );
}

function HitText({ hit }: { readonly hit: Hit }) {
  const { text, start, end } = hit;
  return (
    <bdi class="hit-text">
      {visibleLine(text.slice(0, start))}
      <mark>{visibleLine(text.slice(start, end))}</mark>
      {visibleLine(text.slice(end))}
    </bdi>
  );
}

function HitRow({ id, hit }: { readonly id: string; readonly hit: Hit }) {
  const isOpen = useSignal(false);
  const head = (
    <span class="hit-head">
      <span class={`swatch ${swatchOf(hit.kind)}`} aria-hidden="true" />
      {hit.request === null ? "in no request" : `request ${formats.count(hit.request)}`}
      <Moment at={hit.at} />
      {hit.compactedAway ? <span class="badge">compacted away</span> : null}
    </span>
  );
  if (hit.request !== null) {
    return (
      <Link to={conversationRoute(id, "requests", hit.request, hit.block)} class="hit" isRow>
        {head}
        <HitText hit={hit} />
      </Link>
    );
  }
  return (
    <div class="hit-open">
      <button
        type="button"
        class="hit"
        data-row
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {head}
        <HitText hit={hit} />
      </button>
      {isOpen.value ? <BlockTextView id={id} block={hit.block} characters={0} /> : null}
    </div>
  );
}

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formats } from "../../web/formats.js";
import { visibleLine, visibleText } from "../../web/visible-text.js";
import { DataTable } from "../../web/data-table.js";
import { Quoted } from "../../web/quoted.js";
import type {
  CompactionItem,
  CompactionView,
  ConversationOverview,
  NeededLater,
  UndoResult,
} from "../contract.js";
import { BlockTextView } from "./block-item.js";
import { SourceError } from "./data-source.js";
import { useInspector } from "./inspector-state.js";
import { swatchOf } from "./kinds.js";
import { Link } from "./link.js";
import { Empty, Failure, Loaded } from "./notices.js";
import { paths } from "./paths.js";
import { conversationRoute } from "./route.js";
import { Card, Fact, Line, Moment, Tokens } from "./small-parts.js";
import { VirtualList } from "./virtual-list.js";

const FATES: Readonly<Record<CompactionItem["fate"], { readonly sign: string; readonly name: string }>> = {
  kept: { sign: "✓", name: "kept" },
  summarised: { sign: "≈", name: "summarised" },
  restored: { sign: "↩", name: "restored" },
  dropped: { sign: "✕", name: "dropped" },
  summary: { sign: "¶", name: "summary" },
};

/** Every compaction, and the chosen one in full; the newest where none was chosen. */
export function Compactions({
  overview,
  item,
}: {
  readonly overview: ConversationOverview;
  readonly item: string | null;
}) {
  const { answers } = useInspector();
  const { compactions } = overview;
  const pills = useRef<HTMLElement>(null);
  const chosen = compactions.find(({ id }) => id === item) ?? compactions.at(-1);
  useLayoutEffect(() => {
    const pill = pills.current?.querySelector<HTMLElement>("[aria-current]");
    // Where there is no room for all of them, the chosen one is seen; the page itself stays where it is.
    if (pills.current && pill) {
      const { top, bottom } = pills.current.getBoundingClientRect();
      const place = pill.getBoundingClientRect();
      pills.current.scrollTop += Math.max(0, place.bottom - bottom) + Math.min(0, place.top - top);
    }
  }, [chosen?.id]);
  if (chosen === undefined) {
    return (
      <Empty>
        This conversation was never compacted: everything that was said is still in its newest request, but
        for what was cleared.
      </Empty>
    );
  }
  const path = paths.compaction(overview.id, chosen.id);
  return (
    <>
      <nav class="pills" aria-label="Compactions" ref={pills}>
        {compactions.map(({ id, request, tokensBefore, tokensAfter }, index) => (
          <Link
            key={id}
            to={conversationRoute(overview.id, "compactions", id)}
            isRow
            isCurrent={id === chosen.id}
          >
            <b>{formats.count(index + 1)}</b> request {formats.count(request)} ·{" "}
            {formats.tokens(tokensBefore)} → {formats.tokens(tokensAfter)}
          </Link>
        ))}
      </nav>
      <Loaded<CompactionView>
        answer={answers.of<CompactionView>(path).value}
        path={path}
        loading="Reading the compaction …"
      >
        {(view) => <OneCompaction key={view.id} overview={overview} view={view} />}
      </Loaded>
    </>
  );
}

function OneCompaction({
  overview,
  view,
}: {
  readonly overview: ConversationOverview;
  readonly view: CompactionView;
}) {
  const count = (fate: CompactionItem["fate"]): number =>
    view.before.filter((one) => one.fate === fate).length;
  return (
    <article class="compaction">
      <dl class="facts">
        <Fact name="When">
          <Moment at={view.at} />
        </Fact>
        <Fact name="Why">{visibleLine(view.trigger)}</Fact>
        <Fact name="Tokens before">{formats.count(view.tokensBefore)}</Fact>
        <Fact name="Tokens after">{formats.count(view.tokensAfter)}</Fact>
        <Fact name="Cost">{formats.dollars(view.cost)}</Fact>
        <Fact name="Written by">{visibleLine(view.writer)}</Fact>
        <Fact name="Request">
          <Link to={conversationRoute(overview.id, "requests", view.request)}>
            {formats.count(view.request)}
          </Link>
        </Fact>
      </dl>
      {view.canUndo ? <Undo id={overview.id} /> : null}
      <div class="sides">
        <Side
          id={overview.id}
          title="Before"
          note={`${formats.count(count("kept"))} kept, ${formats.count(count("summarised"))} summarised, ${formats.count(count("dropped"))} dropped`}
          items={view.before}
        />
        <Side
          id={overview.id}
          title="After"
          note={`${formats.count(view.after.length)} ${view.after.length === 1 ? "item" : "items"}, ${formats.count(view.after.filter(({ fate }) => fate === "restored").length)} restored`}
          items={view.after}
        />
      </div>
      <Card title="Summary" note={`${formats.count(view.summary.length)} characters`} isWide>
        {view.summary === "" ? (
          <Empty>No summary was written: what went was taken out without a model.</Empty>
        ) : (
          <pre class="summary-text" tabIndex={0} aria-label="Summary">
            <bdi>{visibleText(view.summary)}</bdi>
          </pre>
        )}
        <h4>What verification found</h4>
        {view.findings.length === 0 ? (
          <p class="note">Nothing is recorded.</p>
        ) : (
          <ul class="findings">
            {view.findings.map((finding) => (
              <li key={finding}>
                <Quoted text={finding} class="prose" />
              </li>
            ))}
          </ul>
        )}
      </Card>
      <NeededLaterCard id={overview.id} compaction={view.id} />
    </article>
  );
}

function NeededLaterCard({ id, compaction }: { readonly id: string; readonly compaction: string }) {
  const { answers } = useInspector();
  const path = paths.neededLater(id, compaction);
  return (
    <Card title="Needed later, and no longer there" isWide>
      <Loaded<NeededLater>
        answer={answers.of<NeededLater>(path).value}
        path={path}
        loading="Replaying the conversation to find out …"
      >
        {({ items }) =>
          items === null ? (
            <Empty>This was not worked out for this conversation.</Empty>
          ) : items.length === 0 ? (
            <Empty>Nothing that was used after this compaction was missing.</Empty>
          ) : (
            <DataTable
              caption="What was used after this compaction and no longer in the context"
              hidesCaption
              heads={[{ name: "Request" }, { name: "What" }, { name: "Seen before in" }]}
            >
              {items.map(({ request, what, seen }, index) => (
                <tr key={index}>
                  <th scope="row">
                    <Link to={conversationRoute(id, "requests", request)}>{formats.count(request)}</Link>
                  </th>
                  <td>
                    <Quoted text={what} />
                  </td>
                  <td>
                    <Quoted text={seen} />
                  </td>
                </tr>
              ))}
            </DataTable>
          )
        }
      </Loaded>
    </Card>
  );
}

/** So few items that beneath one another they need no tall box. */
const FEW = 5;

function Side(props: {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly items: readonly CompactionItem[];
}) {
  const { id, title, note, items } = props;
  return (
    <Card title={title} note={note}>
      <VirtualList
        label={title}
        class={items.length < FEW ? "side few" : "side"}
        count={items.length}
        itemHeight={34}
        scrolls="itself"
        item={(index) => {
          const item = items[index];
          return item === undefined ? null : <SideItem id={id} item={item} />;
        }}
      />
    </Card>
  );
}

function SideItem({ id, item }: { readonly id: string; readonly item: CompactionItem }) {
  const isOpen = useSignal(false);
  const fate = FATES[item.fate];
  return (
    <div class={`side-item fate-${item.fate}`}>
      <button
        type="button"
        class="block-line"
        data-row
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <span class="fate">
          <span aria-hidden="true">{fate.sign}</span> {fate.name}
        </span>
        <span class={`swatch ${swatchOf(item.kind)}`} aria-hidden="true" />
        <Line text={item.preview} class="block-preview" />
        <span class="number block-tokens">
          <Tokens count={item.tokens} estimated />
        </span>
      </button>
      {isOpen.value ? <BlockTextView id={id} block={item.block} characters={0} /> : null}
    </div>
  );
}

/** Takes a compaction back where the conversation goes on and is our own: asked twice. */
function Undo({ id }: { readonly id: string }) {
  const { source, answers } = useInspector();
  const state = useSignal<"ready" | "asked" | "working" | UndoResult | SourceError>("ready");
  const undo = async (): Promise<void> => {
    state.value = "working";
    try {
      state.value = (await source.send("POST", paths.undo(id))) as UndoResult;
      answers.refresh(paths.conversation(id));
    } catch (error) {
      state.value =
        error instanceof SourceError
          ? error
          : new SourceError({ code: "failed", status: 0, message: "The compaction could not be undone." });
    }
  };
  const now = state.value;
  if (now instanceof SourceError) return <Failure failure={now} />;
  if (typeof now === "object") {
    return (
      <p class={`difference ${now.undone ? "good" : ""}`} role="status">
        {visibleLine(now.message)}
      </p>
    );
  }
  if (now === "ready") {
    return (
      <button type="button" onClick={() => (state.value = "asked")}>
        Undo this compaction …
      </button>
    );
  }
  return (
    <div class="asked" role="group" aria-label="Undo this compaction">
      <p>
        The conversation goes on with everything as it was before. The next request writes all of it to the
        cache again.
      </p>
      <button type="button" class="strong" disabled={now === "working"} onClick={() => void undo()}>
        {now === "working" ? "Undoing …" : "Undo"}
      </button>{" "}
      <button type="button" disabled={now === "working"} onClick={() => (state.value = "ready")}>
        Leave it
      </button>
    </div>
  );
}

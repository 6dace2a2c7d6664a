import { useSignal } from "@preact/signals";
import { formats } from "../../web/formats.js";
import { visibleLine } from "../../web/visible-text.js";
import type { ConversationOverview, RequestList, RequestRow } from "../contract.js";
import { useInspector } from "./inspector-state.js";
import { Link } from "./link.js";
import { Empty, Failure } from "./notices.js";
import { paths, ROWS_AT_ONCE } from "./paths.js";
import { RequestDetail } from "./request-detail.js";
import { conversationRoute } from "./route.js";
import { inputOf, Line } from "./small-parts.js";
import { VirtualList } from "./virtual-list.js";

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;

/** All requests in a list, and the one that was chosen beside it. */
export function Requests(props: {
  readonly overview: ConversationOverview;
  readonly item: string | null;
  readonly block: string | null;
}) {
  const { overview, block } = props;
  const { answers } = useInspector();
  const chosen = wholeNumber(props.item);
  const pages = useSignal<readonly [number, number]>([0, 0]);
  const first = answers.of<RequestList>(paths.requests(overview.id, 0)).value;
  const total = first.value?.total ?? 0;
  const rowAt = (index: number): RequestRow | null => {
    const page = Math.floor(index / ROWS_AT_ONCE);
    const [from, to] = pages.value;
    if (page !== 0 && (page < from || page > to)) return null;
    return (
      answers.of<RequestList>(paths.requests(overview.id, page)).value.value?.requests[
        index % ROWS_AT_ONCE
      ] ?? null
    );
  };
  if (first.value === null) {
    return first.failure === null ? (
      <p class="loading" role="status">
        Reading the requests …
      </p>
    ) : (
      <Failure failure={first.failure} path={paths.requests(overview.id, 0)} />
    );
  }
  if (total === 0) return <Empty>No request has been made yet. They appear here as they are sent.</Empty>;
  return (
    <div class={`split${chosen === null ? "" : " has-chosen"}`}>
      <VirtualList
        label="Requests"
        class="request-list"
        count={total}
        itemHeight={52}
        areAllAsHigh
        scrolls="itself"
        goTo={chosen}
        onShown={(from, to) => {
          const next = [Math.floor(from / ROWS_AT_ONCE), Math.floor(to / ROWS_AT_ONCE)] as const;
          if (next[0] !== pages.value[0] || next[1] !== pages.value[1]) pages.value = next;
        }}
        item={(index) => (
          <Row overview={overview} index={index} row={rowAt(index)} isChosen={index === chosen} />
        )}
      />
      {chosen === null ? (
        <p class="empty choose">
          Choose a request to see it block by block: what the cache read, wrote and missed, and where it
          differs from the one before.
        </p>
      ) : (
        <RequestDetail
          key={`${overview.id}/${chosen}`}
          overview={overview}
          number={chosen}
          total={total}
          block={block}
        />
      )}
    </div>
  );
}

function Row(props: {
  readonly overview: ConversationOverview;
  readonly index: number;
  readonly row: RequestRow | null;
  readonly isChosen: boolean;
}) {
  const { overview, index, row, isChosen } = props;
  const lane = overview.lanes.find(({ id }) => id === row?.lane);
  return (
    <Link
      to={conversationRoute(overview.id, "requests", index)}
      class="request-row"
      isRow
      isCurrent={isChosen}
    >
      <span class="request-number">{formats.count(index)}</span>
      {row === null ? (
        <span class="request-text soft">…</span>
      ) : (
        <>
          <span class="request-text">
            <Line text={row.label === "" ? "(no text)" : row.label} />
            <small>
              {formats.count(inputOf(row.usage))} in ·{" "}
              {row.isOutputKnown ? `${formats.count(row.usage.output)} out` : "output not known"}
              {lane === undefined || lane.id === "main" ? "" : ` · ${visibleLine(lane.name)}`}
            </small>
          </span>
          <span class="request-end">
            <b>{formats.dollars(row.cost)}</b>
            {row.compaction === undefined ? null : <span class="badge compacted">compacted</span>}
            {row.breakReason === undefined ? null : (
              <span class="badge broken" title={visibleLine(row.breakReason)}>
                break
              </span>
            )}
          </span>
        </>
      )}
    </Link>
  );
}

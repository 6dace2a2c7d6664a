import { useSignal } from "@preact/signals";
import { formats } from "../../web/formats.js";
import { visibleLine } from "../../web/visible-text.js";
import type { BlockPlace, BlockRow, ConversationOverview, RequestView } from "../contract.js";
import { BlockItem } from "./block-item.js";
import { CACHE_STATES } from "./cache-states.js";
import { DifferenceCard } from "./difference-card.js";
import { useInspector } from "./inspector-state.js";
import { KIND_NAMES, KINDS, swatchOf } from "./kinds.js";
import { Link } from "./link.js";
import { Empty, Failure } from "./notices.js";
import { paths, ROWS_AT_ONCE } from "./paths.js";
import { conversationRoute, goTo } from "./route.js";
import { Fact, inputOf, Moment, ShareBar } from "./small-parts.js";
import { VirtualList } from "./virtual-list.js";

/** One request, block by block. */
export function RequestDetail(props: {
  readonly overview: ConversationOverview;
  readonly number: number;
  readonly total: number;
  readonly block: string | null;
}) {
  const { overview, number, total } = props;
  const { answers, source } = useInspector();
  const pages = useSignal<readonly [number, number]>([0, 0]);
  const wanted = useSignal<number | null>(null);
  const path = paths.request(overview.id, number, 0);
  const answer = answers.of<RequestView>(path).value;
  const view = answer.value;
  if (view === null) {
    return answer.failure === null ? (
      <p class="loading" role="status">
        Reading request {formats.count(number)} …
      </p>
    ) : (
      <Failure failure={answer.failure} path={path} />
    );
  }
  /** Where the block that the address names stands; null where there is none, or it is not known yet. */
  function namedBlock(): number | null {
    const { block } = props;
    if (block === null || view === null || view.answer.some(({ id }) => id === block)) return null;
    const at = view.blocks.findIndex(({ id }) => id === block);
    if (at !== -1 || !source.isServer) return at === -1 ? null : at;
    return answers.of<BlockPlace>(paths.place(overview.id, number, block)).value.value?.index ?? null;
  }
  const blockAt = (index: number): BlockRow | null => {
    const page = Math.floor(index / ROWS_AT_ONCE);
    const [from, to] = pages.value;
    if (page !== 0 && (page < from || page > to)) return null;
    const there =
      page === 0 ? view : answers.of<RequestView>(paths.request(overview.id, number, page)).value.value;
    return there?.blocks[index % ROWS_AT_ONCE] ?? null;
  };
  const named = namedBlock();
  const target = wanted.value ?? named;
  return (
    <article class="request" aria-label={`Request ${formats.count(number)}`}>
      <RequestHead overview={overview} view={view} total={total} />
      {view.difference === undefined ? null : (
        <DifferenceCard
          id={overview.id}
          difference={view.difference}
          onBlock={(index) => (wanted.value = index)}
        />
      )}
      <div class="blocks-head">
        <h3>
          {formats.count(view.blockCount)} blocks{" "}
          <small class="soft">
            {view.source === "recorded" ? "as they were sent" : "rebuilt from the transcript"}
          </small>
        </h3>
        <ul class="legend cache-legend" aria-label="What the cache did">
          {(["read", "written", "uncached", "missed"] as const).map((state) => (
            <li key={state}>
              <span class={`cache-sign ${state}`} aria-hidden="true">
                {CACHE_STATES[state].sign}
              </span>{" "}
              {CACHE_STATES[state].name}
            </li>
          ))}
        </ul>
        {view.firstNewBlock > 0 ? (
          <button type="button" onClick={() => (wanted.value = view.firstNewBlock)}>
            To what is new
          </button>
        ) : null}
      </div>
      {view.blockCount === 0 ? (
        <Empty>The recording does not hold what this request was made of: only its sizes are known.</Empty>
      ) : (
        <VirtualList
          label={`Blocks of request ${formats.count(number)}`}
          class="blocks"
          count={view.blockCount}
          itemHeight={36}
          scrolls="page"
          goTo={target}
          onShown={(from, to) => {
            const next = [Math.floor(from / ROWS_AT_ONCE), Math.floor(to / ROWS_AT_ONCE)] as const;
            if (next[0] !== pages.value[0] || next[1] !== pages.value[1]) pages.value = next;
          }}
          item={(index) => (
            <BlockItem
              id={overview.id}
              block={blockAt(index)}
              index={index}
              isOpen={index === named}
              isDifferent={view.difference?.what === "changed" && view.difference.block === index}
            />
          )}
        />
      )}
      <div class="blocks-head">
        <h3>The answer</h3>
      </div>
      {view.answer.length === 0 ? (
        <Empty>No answer is recorded: the request failed, or it still runs.</Empty>
      ) : (
        <div class="blocks" role="list" aria-label="The answer">
          {view.answer.map((block, index) => (
            <div role="listitem" key={block.id}>
              <BlockItem
                id={overview.id}
                block={block}
                index={index}
                isOpen={block.id === props.block}
                isAnswer
              />
            </div>
          ))}
        </div>
      )}
    </article>
  );
}

function RequestHead(props: {
  readonly overview: ConversationOverview;
  readonly view: RequestView;
  readonly total: number;
}) {
  const { overview, view, total } = props;
  const { usage } = view;
  const parts = KINDS.flatMap((kind) => view.parts.filter((part) => part.kind === kind && part.tokens > 0));
  return (
    <header class="request-head">
      <div class="head-line">
        <Link to={conversationRoute(overview.id, "requests")} class="button only-narrow">
          ‹ All
        </Link>
        <h2>
          Request {formats.count(view.number)} <small class="soft">of {formats.count(total)}</small>
        </h2>
        <div class="actions">
          <Step id={overview.id} number={view.number} step={-1} total={total} />
          <Step id={overview.id} number={view.number} step={1} total={total} />
        </div>
      </div>
      <p class="row-under">
        <Moment at={view.at} />
        <span>{visibleLine(view.model)}</span>
        <span class="badge">{visibleLine(view.lane)}</span>
        {view.compaction === undefined ? null : (
          <Link to={conversationRoute(overview.id, "compactions", view.compaction)} class="badge compacted">
            first after a compaction
          </Link>
        )}
        {view.breakReason === undefined ? null : (
          <span class="badge broken">cache break: {visibleLine(view.breakReason)}</span>
        )}
      </p>
      <dl class="facts">
        <Fact name="Cost">{formats.dollars(view.cost)}</Fact>
        <Fact name="Input">{formats.count(inputOf(usage))}</Fact>
        <Fact name="Read from the cache">{formats.count(usage.cacheRead)}</Fact>
        <Fact name="Written, 5 min">{formats.count(usage.cacheWrite5m)}</Fact>
        <Fact name="Written, 1 h">{formats.count(usage.cacheWrite1h)}</Fact>
        <Fact name="Not cached">{formats.count(usage.input)}</Fact>
        {view.isOutputKnown ? (
          <Fact name="Output">{formats.count(usage.output)}</Fact>
        ) : (
          <Fact name="Output" title="The recording has no more than a placeholder for it">
            not known
          </Fact>
        )}
      </dl>
      {parts.length === 0 ? null : (
        <ShareBar
          label="Input tokens by kind"
          shares={parts.map(({ kind, tokens, estimated }) => ({
            name: KIND_NAMES[kind],
            classes: swatchOf(kind),
            tokens,
            estimated,
          }))}
        />
      )}
    </header>
  );
}

function Step(props: {
  readonly id: string;
  readonly number: number;
  readonly step: 1 | -1;
  readonly total: number;
}) {
  const { id, number, step, total } = props;
  const next = number + step;
  return (
    <button
      type="button"
      data-step={step}
      disabled={next < 0 || next >= total}
      aria-label={step === 1 ? "Next request" : "Request before"}
      onClick={() => goTo(conversationRoute(id, "requests", next), "replace")}
    >
      {step === 1 ? "›" : "‹"}
    </button>
  );
}

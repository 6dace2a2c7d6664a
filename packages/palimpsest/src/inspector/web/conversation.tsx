import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formats } from "../../web/formats.js";
import { visibleLine } from "../../web/visible-text.js";
import type { ConversationOverview } from "../contract.js";
import { Compactions } from "./compactions.js";
import { Contents } from "./contents.js";
import { SourceError } from "./data-source.js";
import { useInspector } from "./inspector-state.js";
import { Link } from "./link.js";
import { Failure, Loaded } from "./notices.js";
import { paths } from "./paths.js";
import { Requests } from "./requests.js";
import { conversationRoute, TABS, type Route, type Tab } from "./route.js";
import { Search } from "./search.js";
import { Fact, Line, Moment, Place } from "./small-parts.js";
import { TimelineView } from "./timeline-view.js";
import { WhatIfView } from "./what-if.js";

type ConversationRoute = Extract<Route, { view: "conversation" }>;

const TAB_NAMES: Readonly<Record<Tab, string>> = {
  timeline: "Timeline",
  requests: "Requests",
  compactions: "Compactions",
  contents: "Items and cost",
  "what-if": "What if",
  search: "Search",
};

const NEEDS_SERVER: ReadonlySet<Tab> = new Set(["what-if", "search"]);

export function Conversation({ here }: { readonly here: ConversationRoute }) {
  const { answers, indexing } = useInspector();
  const path = paths.conversation(here.id);
  const progress = indexing.value.get(here.id);
  const share = progress === undefined ? null : progress.bytesRead / Math.max(1, progress.bytes);
  return (
    <main class="conversation" tabIndex={-1}>
      {share === null ? null : (
        <div class="progress-line">
          <progress max={1} value={share} aria-label="Reading the recording" />
          <span class="note">
            Reading the recording: {formats.share(share)} of {formats.bytes(progress?.bytes)}
          </span>
        </div>
      )}
      <Loaded<ConversationOverview>
        answer={answers.of<ConversationOverview>(path).value}
        path={path}
        loading="Reading the conversation …"
        saysGone
      >
        {(overview) => (
          <>
            <Head overview={overview} />
            <Tabs here={here} compactions={overview.compactions.length} />
            <View here={here} overview={overview} />
          </>
        )}
      </Loaded>
    </main>
  );
}

function Tabs({ here, compactions }: { readonly here: ConversationRoute; readonly compactions: number }) {
  const { source } = useInspector();
  const tabs = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const current = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (tabs.current === null || !current) return;
    // Where there is no room for all of them, the current one is in the middle; the page itself stays where it is.
    const { left, width } = tabs.current.getBoundingClientRect();
    const place = current.getBoundingClientRect();
    tabs.current.scrollLeft += place.left + place.width / 2 - (left + width / 2);
  }, [here.tab]);
  return (
    <nav class="tabs" aria-label="Views of this conversation" ref={tabs}>
      {TABS.filter((tab) => source.isServer || !NEEDS_SERVER.has(tab)).map((tab) => (
        <Link key={tab} to={conversationRoute(here.id, tab)} isCurrent={here.tab === tab && "page"}>
          {TAB_NAMES[tab]}
          {tab === "compactions" && compactions > 0 ? (
            <span class="tab-count">{formats.count(compactions)}</span>
          ) : null}
        </Link>
      ))}
    </nav>
  );
}

function View({
  here,
  overview,
}: {
  readonly here: ConversationRoute;
  readonly overview: ConversationOverview;
}) {
  if (overview.state === "failed") {
    const message = overview.failure ?? "This recording could not be read.";
    return <Failure failure={new SourceError({ code: "failed", status: 0, message })} />;
  }
  switch (here.tab) {
    case "timeline":
      return <TimelineView key={here.id} overview={overview} />;
    case "requests":
      return <Requests overview={overview} item={here.item} block={here.block} />;
    case "compactions":
      return <Compactions overview={overview} item={here.item} />;
    case "contents":
      return <Contents overview={overview} />;
    case "what-if":
      return <WhatIfView overview={overview} />;
    case "search":
      return <Search key={here.id} overview={overview} />;
  }
}

function Head({ overview }: { readonly overview: ConversationOverview }) {
  const { title, agent, place, updatedAt, live, bytes, figures, models, window } = overview;
  return (
    <header class="conversation-head">
      <div class="head-line">
        <h1>
          {live ? <span class="badge live">live</span> : null}
          <Line text={title === "" ? "(no title)" : title} />
        </h1>
        <ExportButton id={overview.id} />
      </div>
      <p class="row-under">
        <span class="badge">{visibleLine(agent)}</span>
        <Moment at={updatedAt} />
        <span>{formats.bytes(bytes)}</span>
        {models.map(({ model }) => (
          <span key={model}>{visibleLine(model)}</span>
        ))}
        <Place path={place} />
      </p>
      {figures === undefined ? null : (
        <dl class="facts">
          <Fact name="Cost" title="All requests, calls for summaries included">
            {formats.dollars(figures.cost)}
          </Fact>
          <Fact name="Saved by the cache">{formats.dollars(overview.cacheSaved)}</Fact>
          <Fact name="Requests">{formats.count(figures.requests)}</Fact>
          <Fact name="Tokens now" title="Input and output of the newest request">
            {formats.count(figures.tokens)}
            {window === null ? null : <small> of {formats.tokens(window)}</small>}
          </Fact>
          <Fact name="Largest request">{formats.count(figures.largestTokens)}</Fact>
          <Fact name="Compactions">{formats.count(figures.compactions)}</Fact>
          <Fact name="Clearings">{formats.count(figures.clearings)}</Fact>
          <Fact name="Cache breaks">{formats.count(figures.breaks)}</Fact>
        </dl>
      )}
    </header>
  );
}

function ExportButton({ id }: { readonly id: string }) {
  const { source } = useInspector();
  const state = useSignal<"ready" | "working" | SourceError>("ready");
  if (!source.isServer) return null;
  const save = async (): Promise<void> => {
    state.value = "working";
    try {
      const { content, name } = await source.download(paths.exported(id));
      const address = URL.createObjectURL(content);
      const link = document.createElement("a");
      link.href = address;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      state.value = "ready";
    } catch (error) {
      state.value =
        error instanceof SourceError
          ? error
          : new SourceError({ code: "failed", status: 0, message: "The export could not be saved." });
    }
  };
  return (
    <div class="export">
      <button
        type="button"
        disabled={state.value === "working"}
        title="One HTML file to share: secrets redacted, nothing loaded from outside"
        onClick={() => void save()}
      >
        {state.value === "working" ? "Exporting …" : "Export"}
      </button>
      {state.value instanceof SourceError ? <Failure failure={state.value} /> : null}
    </div>
  );
}

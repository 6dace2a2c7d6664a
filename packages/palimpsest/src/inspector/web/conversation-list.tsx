import { useSignal } from "@preact/signals";
import { formats } from "../../web/formats.js";
import { visibleLine } from "../../web/visible-text.js";
import type { ConversationList as List, ListedConversation } from "../contract.js";
import { useInspector } from "./inspector-state.js";
import { Link } from "./link.js";
import { Empty, Loaded } from "./notices.js";
import { paths } from "./paths.js";
import { conversationRoute } from "./route.js";
import { Line, Moment, Place } from "./small-parts.js";
import { VirtualList } from "./virtual-list.js";

const matches = (one: ListedConversation, words: string): boolean =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${one.title} ${one.agent} ${one.place}`.toLowerCase().includes(word));

/** The conversations on this machine, newest first. */
export function ConversationList() {
  const { answers, source } = useInspector();
  const filter = useSignal("");
  return (
    <main class="list-page" tabIndex={-1}>
      <Loaded<List>
        answer={answers.of<List>(paths.list).value}
        path={paths.list}
        loading="Looking for conversations …"
      >
        {({ conversations }) => {
          const shown = conversations.filter((one) => matches(one, filter.value));
          return (
            <>
              <div class="page-head">
                <h1>Conversations</h1>
                <p class="note">
                  {formats.count(conversations.length)} {source.isServer ? "found" : "in this export"}, newest
                  first
                </p>
                <input
                  type="search"
                  placeholder="Filter by title, agent or place"
                  aria-label="Filter by title, agent or place"
                  value={filter.value}
                  onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
                />
              </div>
              {conversations.length === 0 ? (
                <Empty>
                  No conversation was found on this machine. Name a recording:{" "}
                  <code>palimpsest inspect FILE</code>, or look at the example:{" "}
                  <code>palimpsest inspect --example</code>.
                </Empty>
              ) : shown.length === 0 ? (
                <Empty>No conversation has all of these words in its title, agent or place.</Empty>
              ) : (
                <VirtualList
                  label="Conversations"
                  class="conversations"
                  count={shown.length}
                  itemHeight={74}
                  scrolls="page"
                  item={(index) => {
                    const one = shown[index];
                    return one === undefined ? null : <ConversationRow conversation={one} />;
                  }}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </main>
  );
}

function ConversationRow({ conversation }: { readonly conversation: ListedConversation }) {
  const { title, agent, place, updatedAt, bytes, live, figures } = conversation;
  return (
    <Link to={conversationRoute(conversation.id)} class="conversation-row" isRow>
      <span class="row-main">
        <span class="row-title">
          {live ? <span class="badge live">live</span> : null}
          <Line text={title === "" ? "(no title)" : title} />
        </span>
        <span class="row-under">
          <span class="badge">{visibleLine(agent)}</span>
          <Moment at={updatedAt} />
          <span>{formats.bytes(bytes)}</span>
          <Place path={place} />
        </span>
      </span>
      {figures === undefined ? (
        <RowState conversation={conversation} />
      ) : (
        <span class="row-figures">
          <Figure name="requests" value={formats.count(figures.requests)} />
          <Figure name="tokens" value={formats.tokens(figures.tokens)} />
          <Figure
            name="compacted"
            value={formats.count(figures.compactions)}
            isQuiet={figures.compactions === 0}
          />
          <Figure name="breaks" value={formats.count(figures.breaks)} isQuiet={figures.breaks === 0} />
          <Figure name="cost" value={formats.dollars(figures.cost)} />
        </span>
      )}
    </Link>
  );
}

const Figure = (props: { readonly name: string; readonly value: string; readonly isQuiet?: boolean }) => (
  <span class={`row-figure${props.isQuiet === true ? " quiet" : ""}`}>
    <b>{props.value}</b>
    <small>{props.name}</small>
  </span>
);

function RowState({ conversation }: { readonly conversation: ListedConversation }) {
  const { indexing } = useInspector();
  const { id, state, failure } = conversation;
  const progress = indexing.value.get(id);
  if (state === "failed") {
    return (
      <span class="row-state bad">
        <Line text={failure ?? "This recording could not be read."} />
      </span>
    );
  }
  if (progress !== undefined || state === "indexing") {
    return (
      <span class="row-state">
        being read
        {progress === undefined
          ? ""
          : ` · ${formats.share(progress.bytesRead / Math.max(1, progress.bytes))}`}
      </span>
    );
  }
  return <span class="row-state">not read yet</span>;
}

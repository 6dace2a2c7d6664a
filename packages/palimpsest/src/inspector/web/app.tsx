import { useEffect } from "preact/hooks";
import { ThemeSwitch } from "../../web/theme-switch.js";
import { visibleLine } from "../../web/visible-text.js";
import type { ConversationOverview } from "../contract.js";
import { Conversation } from "./conversation.js";
import { ConversationList } from "./conversation-list.js";
import { Help } from "./help.js";
import { InspectorContext, useInspector, type InspectorState } from "./inspector-state.js";
import { isHelpShown } from "./keys.js";
import { Link } from "./link.js";
import { paths } from "./paths.js";
import { route } from "./route.js";
import { Moment } from "./small-parts.js";

export function App({ state }: { readonly state: InspectorState }) {
  return (
    <InspectorContext.Provider value={state}>
      <TopBar />
      <LeftOut />
      <View />
      <Help />
    </InspectorContext.Provider>
  );
}

function View() {
  const here = route.value;
  const place = here.view === "list" ? "" : `${here.id}/${here.tab}/${here.item ?? ""}`;
  useEffect(() => {
    // Whoever goes somewhere by a key or a screen reader begins at what is new, not at the top bar.
    const focused = document.activeElement;
    if (focused === null || focused === document.body) {
      document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
    }
  }, [place]);
  return here.view === "list" ? <ConversationList /> : <Conversation here={here} />;
}

function LeftOut() {
  const { leftOut } = useInspector().source;
  return leftOut === null ? null : <p class="left-out note">{visibleLine(leftOut)}</p>;
}

function TopBar() {
  const { source } = useInspector();
  const here = route.value;
  return (
    <div class="top-bar" role="banner">
      <Link to={{ view: "list" }} class="brand" label="Palimpsest inspector: all conversations">
        <span class="brand-mark" aria-hidden="true" />
        palimpsest <span class="soft">inspector</span>
      </Link>
      {here.view === "conversation" ? <Crumb id={here.id} /> : null}
      <span class="space" />
      {source.generatedAt === null ? (
        <ConnectionState />
      ) : (
        <span class="note">
          exported <Moment at={source.generatedAt} />
        </span>
      )}
      <ThemeSwitch />
      <button type="button" aria-label="Keys" title="Keys (?)" onClick={() => (isHelpShown.value = true)}>
        ?
      </button>
    </div>
  );
}

function Crumb({ id }: { readonly id: string }) {
  const { answers } = useInspector();
  const title = answers.of<ConversationOverview>(paths.conversation(id)).value.value?.title;
  useEffect(() => {
    document.title =
      title === undefined || title === ""
        ? "Palimpsest inspector"
        : `${visibleLine(title)} · Palimpsest inspector`;
    return () => {
      document.title = "Palimpsest inspector";
    };
  }, [title]);
  return (
    <Link to={{ view: "list" }} class="crumb">
      ‹ all conversations
    </Link>
  );
}

function ConnectionState() {
  const { connection, source } = useInspector();
  if (!source.isServer) return null;
  return (
    <span class={`connection ${connection.value}`} role="status">
      {connection.value === "connected"
        ? "up to date"
        : connection.value === "connecting"
          ? "connecting …"
          : "not connected: trying again"}
    </span>
  );
}

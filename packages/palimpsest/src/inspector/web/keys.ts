import { signal } from "@preact/signals";
import { conversationRoute, goTo, route, type Tab } from "./route.js";

/** What the keys do, as the help shows it. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["j / k", "next or previous row"],
  ["Enter", "open what has the focus"],
  ["Esc", "back, or close"],
  ["/", "search this conversation, or filter the list"],
  ["g t", "timeline"],
  ["g r", "requests"],
  ["g c", "compactions"],
  ["g i", "items and cost"],
  ["g w", "what if"],
  ["g l", "list of conversations"],
  ["[ / ]", "request before or after this one"],
  ["d", "where a request differs from the one before"],
  ["← → Home End", "in a chart: from column to column"],
  ["+ − 0", "in a chart: closer, wider, all of it"],
  ["?", "this help"],
];

export const isHelpShown = signal(false);

/** The search was asked for by a key, and its field is not there yet: it takes the focus as soon as it is. */
let isSearchAwaited = false;

/** Whether the field that is there now takes the focus: once each time that it was asked for. */
export function takesSearchFocus(): boolean {
  const takes = isSearchAwaited;
  isSearchAwaited = false;
  return takes;
}

const GOES: Readonly<Record<string, Tab>> = {
  t: "timeline",
  r: "requests",
  c: "compactions",
  i: "contents",
  w: "what-if",
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");

/** Moves the focus to the next row of what is shown. Rows say so by `data-row`. */
function moveRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const current = document.activeElement?.closest<HTMLElement>("[data-row]") ?? null;
  const chosen = rows.findIndex((row) => row.getAttribute("aria-current") === "true");
  const from = current === null ? chosen : rows.indexOf(current);
  const next = rows[from === -1 ? (step > 0 ? 0 : rows.length - 1) : from + step];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}

function back(): void {
  const here = route.value;
  if (here.view === "list") return;
  if (here.item !== null) goTo(conversationRoute(here.id, here.tab));
  else if (here.tab !== "timeline") goTo(conversationRoute(here.id));
  else goTo({ view: "list" });
}

/** Keys of the whole page. Fields keep theirs, but for Escape, which leaves them. */
export function startKeys(): void {
  let isGoing = false;
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    const here = route.value;
    if (isGoing) {
      isGoing = false;
      const tab = GOES[event.key];
      if (event.key === "l") goTo({ view: "list" });
      else if (tab !== undefined && here.view === "conversation") goTo(conversationRoute(here.id, tab));
      else return;
      event.preventDefault();
      return;
    }
    switch (event.key) {
      case "g":
        isGoing = true;
        return;
      case "j":
        moveRow(1);
        break;
      case "k":
        moveRow(-1);
        break;
      case "?":
        isHelpShown.value = true;
        break;
      case "Escape":
        if (isHelpShown.value) return;
        back();
        break;
      case "/":
        if (focusSearch()) break;
        if (here.view !== "conversation") return;
        isSearchAwaited = true;
        goTo(conversationRoute(here.id, "search"));
        break;
      case "[":
      case "]":
        stepRequest(event.key === "]" ? 1 : -1);
        break;
      case "d":
        document.querySelector<HTMLElement>("[data-goes-to-difference]")?.click();
        break;
      default:
        return;
    }
    event.preventDefault();
  });
}

function stepRequest(step: number): void {
  document.querySelector<HTMLButtonElement>(`[data-step="${step}"]:not(:disabled)`)?.click();
}

import { signal } from "@preact/signals";

export const TABS = ["timeline", "requests", "compactions", "contents", "what-if", "search"] as const;
export type Tab = (typeof TABS)[number];

export type Route =
  | { readonly view: "list" }
  | {
      readonly view: "conversation";
      readonly id: string;
      readonly tab: Tab;
      /** Of `requests`: its number; of `compactions`: its id. */
      readonly item: string | null;
      /** Of a request: the block to go to. */
      readonly block: string | null;
    };

const LIST: Route = { view: "list" };

const isTab = (text: string | undefined): text is Tab => TABS.some((tab) => tab === text);

/** `#/c/ID/TAB/ITEM/BLOCK`; what is nothing of that is the list. */
function parseRoute(hash: string): Route {
  const parts = hash.replace(/^#\/?/, "").split("/");
  let [mark, id, tab, item, block]: (string | undefined)[] = [];
  try {
    [mark, id, tab, item, block] = parts.map(decodeURIComponent);
  } catch {
    return LIST;
  }
  if (mark !== "c" || id === undefined || id === "") return LIST;
  return {
    view: "conversation",
    id,
    tab: isTab(tab) ? tab : "timeline",
    item: item === undefined || item === "" ? null : item,
    block: block === undefined || block === "" ? null : block,
  };
}

export function formatRoute(route: Route): string {
  if (route.view === "list") return "#/";
  const { id, tab, item, block } = route;
  const parts = ["c", id, tab, ...(item === null ? [] : [item, ...(block === null ? [] : [block])])];
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export const conversationRoute = (
  id: string,
  tab: Tab = "timeline",
  item: string | number | null = null,
  block: string | null = null,
): Route => ({ view: "conversation", id, tab, item: item === null ? null : String(item), block });

/** Where the page is. Back and forward of the browser work. */
export const route = signal<Route>(LIST);

export function startRoute(first: Route | null): void {
  if (first !== null) history.replaceState(null, "", formatRoute(first));
  const read = (): void => {
    route.value = parseRoute(location.hash);
  };
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
  read();
}

export function goTo(next: Route, how: "push" | "replace" = "push"): void {
  const hash = formatRoute(next);
  if (how === "push") history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
  route.value = next;
}

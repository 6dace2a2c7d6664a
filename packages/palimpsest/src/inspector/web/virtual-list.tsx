import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
} from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** Pixels of an item before it was measured; of all of them for good where they are all as high. */
  readonly itemHeight: number;
  readonly areAllAsHigh?: boolean;
  readonly item: (index: number) => ComponentChildren;
  /** Scrolls in itself, or with the page. */
  readonly scrolls: "itself" | "page";
  /** The item to bring into view when this changes. */
  readonly goTo?: number | null;
  /** Told after scrolling and drawing: the items that are there. */
  readonly onShown?: (first: number, last: number) => void;
  readonly class?: string;
}

const OVERSCAN = 5;

/** A list of which only what is seen is there, however long it is. */
export function VirtualList(props: VirtualListProps) {
  const holder = useRef<HTMLDivElement>(null);
  const list = useRef<Virtualizer<Element & Window, Element> | null>(null);
  const [, redraw] = useReducer<number, void>((times) => times + 1, 0);
  const isPage = props.scrolls === "page";

  // Where the list begins in the page: asked for when nothing moves, for asking makes the browser lay everything out.
  const begins = useRef(0);
  const place = holder.current;
  if (isPage && place !== null && list.current?.isScrolling !== true) {
    begins.current = place.getBoundingClientRect().top + scrollY;
  }
  const margin = begins.current;
  const options = {
    count: props.count,
    estimateSize: () => props.itemHeight,
    overscan: OVERSCAN,
    scrollMargin: margin,
    getScrollElement: () => (isPage ? window : holder.current) as (Element & Window) | null,
    observeElementRect: (isPage ? observeWindowRect : observeElementRect) as typeof observeElementRect,
    observeElementOffset: (isPage
      ? observeWindowOffset
      : observeElementOffset) as typeof observeElementOffset,
    scrollToFn: (isPage ? windowScroll : elementScroll) as typeof elementScroll,
    onChange: () => redraw(),
  };
  if (list.current === null) list.current = new Virtualizer<Element & Window, Element>(options);
  else list.current.setOptions(options);
  const virtual = list.current;

  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());

  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useLayoutEffect(() => {
    props.onShown?.(first, last);
  }, [first, last, props.count]);
  useLayoutEffect(() => {
    if (typeof props.goTo === "number" && props.goTo >= 0 && props.goTo < props.count) {
      virtual.scrollToIndex(props.goTo, { align: "center" });
    }
  }, [props.goTo, props.count > 0]);

  return (
    <div
      ref={holder}
      class={`virtual ${isPage ? "with-page" : "in-itself"} ${props.class ?? ""}`}
      {...(isPage ? {} : { tabIndex: 0 })}
      role="list"
      aria-label={props.label}
    >
      <div class="virtual-inside" role="presentation" style={{ height: `${virtual.getTotalSize()}px` }}>
        {items.map(({ index, start }) => (
          <div
            key={index}
            ref={props.areAllAsHigh === true ? null : virtual.measureElement}
            class="virtual-item"
            data-index={index}
            role="listitem"
            aria-setsize={props.count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            {props.item(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The part of an event that the report reads. */
interface PageEvent {
  readonly key: string;
  readonly clientX: number;
  readonly clientY: number;
  readonly preventDefault: () => void;
}

/** The part of an element, HTML or SVG, that the report uses. */
export interface PageElement {
  textContent: string | null;
  /** Of a select. */
  value: string;
  hidden: boolean;
  readonly clientWidth: number;
  readonly offsetWidth: number;
  readonly offsetHeight: number;
  readonly style: { left: string; top: string };
  readonly append: (...children: readonly PageElement[]) => void;
  readonly replaceChildren: (...children: readonly PageElement[]) => void;
  readonly setAttribute: (name: string, value: string) => void;
  readonly getAttribute: (name: string) => string | null;
  readonly removeAttribute: (name: string) => void;
  readonly addEventListener: (type: string, listener: (event: PageEvent) => void) => void;
  readonly getBoundingClientRect: () => {
    readonly left: number;
    readonly top: number;
    readonly width: number;
  };
}

export interface PageDocument {
  readonly documentElement: PageElement;
  readonly createElement: (tag: string) => PageElement;
  readonly createElementNS: (namespace: string, tag: string) => PageElement;
  readonly getElementById: (id: string) => PageElement | null;
}

/**
 * The part of the browser that the report uses, so that no package needs the types of the DOM. Every function of the
 * page gets what it needs through its parameters: it reaches the page as its own source text.
 */
export interface PageWindow {
  readonly document: PageDocument;
  readonly addEventListener: (type: string, listener: () => void) => void;
  readonly requestAnimationFrame: (callback: () => void) => unknown;
  readonly matchMedia: (query: string) => { readonly matches: boolean };
}

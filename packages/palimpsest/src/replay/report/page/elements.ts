import type { PageDocument, PageElement } from "./page-types.js";

interface ElementOptions {
  /** Set as text: whatever it holds, no element comes of it. */
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string | number>>;
  readonly children?: readonly PageElement[];
}

export interface Elements {
  readonly html: (tag: string, options?: ElementOptions) => PageElement;
  readonly svg: (tag: string, options?: ElementOptions) => PageElement;
  /** Throws where the page has no such element. */
  readonly byId: (id: string) => PageElement;
}

/** Makes elements. The only place where text enters the page, and it does so as text. */
export function createElements(document: PageDocument): Elements {
  const fill = (element: PageElement, { text, attributes, children }: ElementOptions): PageElement => {
    for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, String(value));
    if (text !== undefined) element.textContent = text;
    if (children !== undefined) element.append(...children);
    return element;
  };
  return {
    html: (tag, options = {}) => fill(document.createElement(tag), options),
    svg: (tag, options = {}) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), options),
    byId: (id) => {
      const element = document.getElementById(id);
      if (element === null) throw new Error(`The report has no element ${id}`);
      return element;
    },
  };
}

import type { ComponentChildren } from "preact";
import { formatRoute, goTo, type Route } from "./route.js";

/** A link inside the page. */
export function Link(props: {
  readonly to: Route;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isRow?: boolean;
  readonly isCurrent?: boolean | "page";
  readonly label?: string;
}) {
  return (
    <a
      href={formatRoute(props.to)}
      class={props.class}
      aria-label={props.label}
      {...(props.isRow === true ? { "data-row": true } : {})}
      {...(props.isCurrent === undefined || props.isCurrent === false
        ? {}
        : { "aria-current": props.isCurrent === "page" ? ("page" as const) : ("true" as const) })}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        goTo(props.to);
      }}
    >
      {props.children}
    </a>
  );
}

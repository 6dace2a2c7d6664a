import type { ComponentChildren } from "preact";

export interface TableHead {
  readonly name: string;
  readonly title?: string;
  readonly isNumber?: boolean;
  readonly class?: string;
}

/** A table that scrolls in itself where it is wider than its place, by the keyboard too. */
export function DataTable(props: {
  readonly caption: string;
  readonly heads: readonly TableHead[];
  /** `<tr>` elements. */
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly hidesCaption?: boolean;
}) {
  const { caption, heads, children } = props;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class={props.class ?? ""}>
        <caption class={props.hidesCaption === true ? "unseen" : ""}>{caption}</caption>
        <thead>
          <tr>
            {heads.map(({ name, title, isNumber, class: classes = "" }) => (
              <th
                key={name}
                scope="col"
                title={title}
                class={isNumber === true ? `number ${classes}` : classes}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** What the colours of a chart mean. */
export function Legend({
  kinds,
}: {
  readonly kinds: readonly { readonly name: string; readonly label?: string; readonly isStriped?: boolean }[];
}) {
  return (
    <ul class="legend">
      {kinds.map(({ name, label, isStriped }) => (
        <li key={name}>
          <span class={`swatch kind-${name}${isStriped === true ? " striped" : ""}`} aria-hidden="true" />
          {label ?? name}
        </li>
      ))}
    </ul>
  );
}

/** An event with a field that is only worked out where somebody looks at it. */
export function withLazyField<Event extends object, Name extends string, Value>(
  event: Event,
  name: Name,
  find: () => Value,
): Event & Readonly<Record<Name, Value>> {
  let found: { readonly value: Value } | undefined;
  return Object.defineProperty(event, name, {
    enumerable: true,
    get: () => (found ??= { value: find() }).value,
  }) as Event & Readonly<Record<Name, Value>>;
}

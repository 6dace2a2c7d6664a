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

/** The event with more fields; what nobody has looked at stays so. */
export function extendEvent<Event extends object, More extends object>(
  event: Event,
  more: More,
): Event & More {
  return Object.defineProperties({ ...more }, Object.getOwnPropertyDescriptors(event)) as Event & More;
}

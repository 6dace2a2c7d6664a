/** An immutable list that grows at its end at constant cost; undefined is the empty one. */
export type BackwardList<Item> = { readonly item: Item; readonly before: BackwardList<Item> } | undefined;

export function inOrder<Item>(list: BackwardList<Item>): Item[] {
  const items: Item[] = [];
  for (let at = list; at !== undefined; at = at.before) items.push(at.item);
  return items.toReversed();
}

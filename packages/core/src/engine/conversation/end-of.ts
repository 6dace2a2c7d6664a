/** What events come to, for those who listen to none of them. */
export async function endOf<T>(events: AsyncGenerator<unknown, T>): Promise<T> {
  let next = await events.next();
  while (next.done !== true) next = await events.next();
  return next.value;
}

/**
 * Yields what the work tells, while it happens, and gives what it comes to. Everything that was told comes before
 * that. Rejects as the work does.
 */
export async function* telling<Event, T>(
  work: (tell: (event: Event) => void) => Promise<T>,
): AsyncGenerator<Event, T> {
  const events: Event[] = [];
  let wake = (): void => {};
  let isOver = false;
  const done = work((event) => {
    events.push(event);
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  // Whoever walks away while it fails is not told.
  done.catch(() => {});
  while (true) {
    for (let event = events.shift(); event !== undefined; event = events.shift()) yield event;
    if (isOver) return await done;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (events.length > 0 || isOver) resolve();
    });
  }
}

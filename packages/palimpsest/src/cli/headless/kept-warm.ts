import type { Prompt } from "./read-prompts.js";

/** The prompts; while the next one is waited for, `idle` is at work. */
export async function* keptWarm(
  prompts: AsyncIterable<Prompt | undefined>,
  idle: (signal: AbortSignal) => Promise<void>,
): AsyncGenerator<Prompt | undefined> {
  const iterator = prompts[Symbol.asyncIterator]();
  try {
    while (true) {
      const back = new AbortController();
      const kept = idle(back.signal);
      let next: IteratorResult<Prompt | undefined>;
      try {
        next = await iterator.next();
      } finally {
        back.abort();
        await kept;
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

import { createJsonlStore, createMemoryStore } from "../stores/index.js";
import { lifeEvents, playLife, type LifeEvent } from "./random-life.js";
import type { SoakContext, SoakRun } from "./soak-run.js";
import { withFolder } from "./with-folder.js";

const LIVES = 250;
const MOST_EVENTS = 40;

export const livesRun: SoakRun = {
  name: "lives",
  about:
    "random lives (compactions, clearings, going back, branches, pins): what is resumed after any event sends what the live one would have sent",
  passes: 40,
  pass: (context) => withFolder("lives", (directory) => playLives(directory, context)),
};

async function playLives(directory: string, { random, step, isOver }: SoakContext): Promise<void> {
  const stored = createJsonlStore({ directory, durability: "process" });
  for (let life = 0; life < LIVES && (life === 0 || !isOver()); life += 1) {
    const events = Array.from({ length: 5 + random.below(MOST_EVENTS) }, (): LifeEvent => {
      const kind = random.next() < 0.3 ? "turn" : random.pick(lifeEvents);
      return { kind, choice: random.below(10_000) };
    });
    const options = {
      store: random.next() < 0.5 ? stored : createMemoryStore(),
      id: `life-${life}`,
      events,
      hasHistory: random.next() < 0.7,
      isThinkingBound: random.next() < 0.5,
      cacheEdits: random.next() < 0.3,
      hasNotes: random.next() < 0.3,
      isExtractive: random.next() < 0.5,
    };
    try {
      await playLife({ ...options, onEvent: (what) => step({ [what]: 1 }) });
    } catch (error) {
      const { store: _store, ...given } = options;
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`${why}, in the life ${JSON.stringify(given)}`, { cause: error });
    }
    await step({ lives: 1 });
  }
}

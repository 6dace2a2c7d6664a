import fc from "fast-check";
import { it } from "vitest";
import { lifeEvents, playLife, type LifeEvent } from "../../packages/palimpsest/src/soak/random-life.js";
import { createMemoryStore } from "../../packages/palimpsest/src/stores/index.js";

const event = fc.record<LifeEvent>({
  kind: fc.constantFrom(...lifeEvents, "turn", "turn", "turn"),
  choice: fc.nat(9999),
});

it("after every event of a random life, what is resumed from the transcript sends what the live one sends, and knows what it knows", async () => {
  const events = fc.array(event, { minLength: 5, maxLength: 22 });
  const options = fc.record({
    hasHistory: fc.boolean(),
    isThinkingBound: fc.boolean(),
    cacheEdits: fc.boolean(),
    hasNotes: fc.boolean(),
    isExtractive: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(events, options, (list, given) =>
      playLife({ store: createMemoryStore(), events: list, ...given }),
    ),
    { numRuns: 500 },
  );
});

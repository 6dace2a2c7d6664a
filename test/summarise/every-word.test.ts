import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createJsonlStore } from "../../packages/palimpsest/src/stores/jsonl/store.js";
import { createMemoryStore } from "../../packages/palimpsest/src/stores/memory.js";
import { missingIn, shownToModel } from "./words/judge.js";
import { createPerson, type Person, type Writer } from "./words/person.js";
import { said, type Said } from "./words/said.js";

const runs = Number(process.env["PALIMPSEST_PROPERTY_RUNS"] ?? 100);
const seed = Number(process.env["PALIMPSEST_PROPERTY_SEED"] ?? Date.now() ^ process.pid);

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-every-word-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const place = fc.double({ min: 0, max: 1, noNaN: true });
const of = <Kind extends string, More extends object>(
  kind: Kind,
  more: { [Key in keyof More]: fc.Arbitrary<More[Key]> },
) =>
  fc.record({ kind: fc.constant(kind), ...more }) as unknown as fc.Arbitrary<
    { readonly kind: Kind } & Readonly<More>
  >;

const work = of<
  "work",
  { rounds: number; size: number; meanwhile: Said | undefined; beside: Said | undefined }
>("work", {
  rounds: fc.integer({ min: 1, max: 3 }),
  size: fc.integer({ min: 1, max: 40 }),
  meanwhile: fc.option(said, { nil: undefined, freq: 3 }),
  beside: fc.option(said, { nil: undefined, freq: 3 }),
});

const talk = fc.oneof(
  { weight: 6, arbitrary: of<"say", { what: Said }>("say", { what: said }) },
  { weight: 1, arbitrary: of<"again", { at: number }>("again", { at: place }) },
  { weight: 1, arbitrary: of<"many", { count: number }>("many", { count: fc.integer({ min: 5, max: 60 }) }) },
  { weight: 4, arbitrary: work },
  { weight: 2, arbitrary: fc.constant({ kind: "finish" } as const) },
);

const change = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: "pause" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "prepare" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "compact" } as const) },
  { weight: 2, arbitrary: of<"full", { keep: number }>("full", { keep: fc.constantFrom(0, 300, 3000) }) },
  { weight: 2, arbitrary: of<"from", { at: number }>("from", { at: place }) },
  { weight: 2, arbitrary: of<"up_to", { at: number }>("up_to", { at: place }) },
  { weight: 1, arbitrary: fc.constant({ kind: "undo" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "resume" } as const) },
);

/** People talk, work is done, and then something happens to the conversation. */
const stretch = fc
  .tuple(fc.array(talk, { maxLength: 4 }), work, fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([before, done, after]) => [...before, done, ...after]);

type Step = typeof stretch extends fc.Arbitrary<readonly (infer Value)[]> ? Value : never;

async function take(person: Person, given: Step): Promise<void> {
  const pivot = (at: number): string => {
    const { live } = person.conversation;
    return live[Math.floor(at * (live.length - 1))]?.uuid ?? "";
  };
  switch (given.kind) {
    case "say":
      await person.say(given.what);
      return;
    case "again": {
      const text = person.said[Math.floor(given.at * (person.said.length - 1))]?.[0];
      if (text !== undefined)
        await person.say({ kind: "message", content: [{ type: "text", text }], texts: [text] });
      return;
    }
    case "many":
      for (let count = 0; count < given.count; count += 1) {
        const text = `${count % 7}${"!".repeat(count % 3)}`;
        await person.say({ kind: "message", content: text, texts: [text] });
      }
      return;
    case "work":
      await person.work(given.size, given.meanwhile, given.beside);
      for (let round = 1; round < given.rounds; round += 1) await person.work(given.size);
      return;
    case "finish":
      await person.finish();
      return;
    case "pause":
      await person.pause();
      return;
    case "prepare":
      await person.prepare();
      return;
    case "compact":
      await person.compact(undefined);
      return;
    case "full":
      await person.compact({ kind: "full", keepRecentTokens: given.keep });
      return;
    case "from":
    case "up_to":
      await person.compact({ kind: given.kind, pivot: pivot(given.at) });
      return;
    case "undo":
      await person.undo();
      return;
    case "resume": {
      const before = JSON.stringify(person.conversation.requestMessages());
      await person.resume();
      expect(JSON.stringify(person.conversation.requestMessages())).toBe(before);
      return;
    }
    default:
  }
}

const chain = fc.record({
  writer: fc.constantFrom<Writer>(
    "none",
    "fails",
    "forgets",
    "untitled",
    "echoes",
    "misplaces",
    "doubles",
    "server",
  ),
  hasNotes: fc.boolean(),
  model: fc.constantFrom("claude-opus-5-5", "claude-opus-5", "claude-sonnet-4-5"),
  window: fc.constantFrom(undefined, 120_000, 150_000),
  isOnDisk: fc.boolean(),
  stretches: fc.array(stretch, { minLength: 1, maxLength: 5 }),
});

it("loses no word of a person, whatever is cleared, replaced, compacted, undone and resumed", async () => {
  const happened = new Map<string, number>();
  let messages = 0;
  await fc.assert(
    fc.asyncProperty(chain, async ({ writer, hasNotes, model, window, isOnDisk, stretches }) => {
      const person = await createPerson({
        writer,
        hasNotes,
        model,
        store: isOnDisk
          ? createJsonlStore({ directory: await mkdtemp(join(directory, "c-")) })
          : createMemoryStore(),
        ...(window === undefined ? {} : { settings: { window } }),
      });
      for (const given of stretches.flat()) {
        await take(person, given);
        const shown = shownToModel(person.conversation.requestMessages());
        const missing = missingIn(shown, person.said, { whole: 4000, total: 60_000 });
        expect({ after: given.kind, missing }).toEqual({ after: given.kind, missing: [] });
      }
      messages += person.said.length;
      for (const [what, count] of person.happened) happened.set(what, (happened.get(what) ?? 0) + count);
      await person.end();
    }),
    { numRuns: runs, seed },
  );
  const counts = Object.fromEntries([...happened].toSorted(([a], [b]) => a.localeCompare(b)));
  console.log(`every word: ${runs} chains, seed ${seed}, ${messages} messages`, counts);
});

import type { Message } from "@palimpsest/core";
import { liveMessages } from "@palimpsest/core/engine";
import { conversationBuilder } from "@palimpsest/core/testing";
import fc from "fast-check";

export type HistoryStep =
  | { readonly kind: "user" | "assistant" | "attachment" | "system" | "sidechain"; readonly size: number }
  | { readonly kind: "calls"; readonly size: number }
  | { readonly kind: "compaction" }
  | {
      readonly kind: "keep";
      readonly place: "after-summary" | "before-boundary";
      readonly from: number;
      readonly to: number;
      readonly isRestored: boolean;
    }
  | { readonly kind: "rewind"; readonly to: number; readonly isMarked: boolean; readonly leaves: number }
  | { readonly kind: "flush" }
  | { readonly kind: "reopen" };

const fraction = fc.double({ min: 0, max: 0.999, noNaN: true });
const size = fc.oneof({ arbitrary: fc.nat(40), weight: 20 }, { arbitrary: fc.nat(150_000), weight: 1 });
const step: fc.Arbitrary<HistoryStep> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constantFrom("user", "assistant", "attachment", "system", "sidechain"),
      size,
    }),
    weight: 10,
  },
  { arbitrary: fc.record({ kind: fc.constant("calls"), size }), weight: 2 },
  { arbitrary: fc.constant({ kind: "compaction" }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant("keep"),
      place: fc.constantFrom("after-summary", "before-boundary"),
      from: fraction,
      to: fraction,
      isRestored: fc.boolean(),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("rewind"),
      to: fraction,
      isMarked: fc.boolean(),
      leaves: fraction,
    }),
    weight: 1,
  },
  { arbitrary: fc.constant({ kind: "flush" }), weight: 3 },
  { arbitrary: fc.constant({ kind: "reopen" }), weight: 1 },
);

export const historySteps = fc.array(step, { maxLength: 60, size: "max" });

/** The history that the steps tell, in batches; `undefined` stands for closing and opening again. */
export function playHistory(steps: readonly HistoryStep[]): readonly (readonly Message[] | undefined)[] {
  const talk = conversationBuilder();
  const all: Message[] = [];
  const batches: (readonly Message[] | undefined)[] = [];
  let batch: Message[] = [];
  const flush = (): void => {
    if (batch.length > 0) batches.push(batch);
    batch = [];
  };
  const add = (...messages: readonly Message[]): void => {
    all.push(...messages);
    batch.push(...messages);
  };
  const pick = <T>(list: readonly T[], at: number): T | undefined => list[Math.floor(at * list.length)];
  for (const part of steps) {
    switch (part.kind) {
      case "user":
      case "assistant":
        add(talk[part.kind]("é".repeat(part.size)));
        break;
      case "attachment":
        add(talk.attachment("file"));
        break;
      case "system":
        add(talk.system("info"));
        break;
      case "sidechain":
        add(talk.sidechain("beside"));
        break;
      case "calls":
        add(...parallelCalls(talk, `call-${all.length}`, part.size));
        break;
      case "compaction":
        add(...talk.compaction());
        break;
      case "keep": {
        const live = liveMessages(all);
        const [from, to] = [Math.min(part.from, part.to), Math.max(part.from, part.to)];
        const [head, tail] = [pick(live, from), pick(live, to)];
        if (head === undefined || tail === undefined) break;
        const [boundary, summary] = talk.compaction({ head, tail, place: part.place });
        add(boundary, summary);
        if (!part.isRestored) break;
        talk.rewindTo(summary);
        add(talk.attachment("file"));
        if (part.place === "after-summary") talk.rewindTo(tail);
        break;
      }
      case "rewind": {
        const target = pick(
          all.filter((message) => message.isSidechain !== true),
          part.to,
        );
        if (target !== undefined) talk.rewindTo(target);
        if (target === undefined || !part.isMarked) break;
        const leftOut = pick(all, part.leaves);
        const marker = talk.system("rewound");
        add(
          part.leaves < 0.5 || leftOut === undefined
            ? marker
            : ({ ...marker, leftOut: [leftOut.uuid] } as Message),
        );
        break;
      }
      case "flush":
        flush();
        break;
      case "reopen":
        flush();
        batches.push(undefined);
        break;
    }
  }
  flush();
  return batches;
}

/** One response in two pieces, whose results hang on their own call: a tree. */
function parallelCalls(
  talk: ReturnType<typeof conversationBuilder>,
  id: string,
  length: number,
): readonly Message[] {
  const call = (name: string) =>
    [{ type: "tool_use", id: `${id}-${name}`, name: "read", input: {} }] as const;
  const result = (name: string) =>
    [{ type: "tool_result", tool_use_id: `${id}-${name}`, content: "r".repeat(length) }] as const;
  const first = talk.assistant(call("a"));
  const second = talk.assistant(call("b"));
  const pieces = [first, { ...second, message: { ...second.message, id: first.message.id } }];
  talk.rewindTo(first);
  const firstResult = talk.user(result("a"));
  talk.rewindTo(second);
  return [...pieces, firstResult, talk.user(result("b"))];
}

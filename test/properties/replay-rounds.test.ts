import { isCompactBoundary, type Message } from "@palimpsest/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecordedRound } from "../../packages/palimpsest/src/replay/rounds/recorded-round.js";
import { RoundBuilder } from "../../packages/palimpsest/src/replay/rounds/round-builder.js";
import { CompactionUndoer } from "../../packages/palimpsest/src/replay/rounds/undo-compactions.js";
import { checkProperty } from "../../packages/palimpsest/src/testing/check-property.js";

interface Compaction {
  /** How many of the newest messages it keeps. */
  readonly kept: number;
  readonly place: "after-summary" | "before-boundary";
  readonly restored: readonly string[];
  readonly isManual: boolean;
}

type Step =
  | { readonly kind: "human" | "error" | "sidechain" | "rewind" | "reminder" | "silence" }
  | { readonly kind: "calls"; readonly count: number; readonly isInterleaved: boolean };

interface Told {
  readonly steps: readonly Step[];
  /** By the step they come before. */
  readonly compactions: ReadonlyMap<number, Compaction>;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.constantFrom({ kind: "human" } as const, { kind: "reminder" } as const), weight: 3 },
  {
    arbitrary: fc.record({
      kind: fc.constant("calls" as const),
      count: fc.nat(3),
      isInterleaved: fc.boolean(),
    }),
    weight: 6,
  },
  {
    arbitrary: fc
      .constantFrom("error" as const, "sidechain" as const, "rewind" as const, "silence" as const)
      .map((kind) => ({ kind })),
    weight: 2,
  },
);

const compaction: fc.Arbitrary<Compaction> = fc.record({
  kept: fc.nat(8),
  place: fc.constantFrom("after-summary", "before-boundary"),
  restored: fc.array(fc.constantFrom("file", "todo", "plan_file_reference", "invoked_skills"), {
    maxLength: 3,
  }),
  isManual: fc.boolean(),
});

const told: fc.Arbitrary<Told> = fc
  .record({
    steps: fc.array(step, { minLength: 1, maxLength: 25 }),
    compactions: fc.array(fc.tuple(fc.nat(25), compaction), { maxLength: 3 }),
  })
  .map(({ steps, compactions }) => ({ steps, compactions: new Map(compactions) }));

/** Writes a conversation as Claude Code would: one line per block, results as siblings of parallel calls. */
class Recorder {
  readonly lines: Message[] = [];
  /** What is live now, but for what compactions wrote. */
  #branch: string[] = [];
  #last: string | null = null;
  #count = 0;
  #hasResponse = false;

  write({ kind, ...step }: Step): void {
    switch (kind) {
      case "human":
        this.#add({ type: "user", message: { role: "user", content: `words ${this.#count}` } });
        break;
      case "reminder":
        this.#add({ type: "attachment", attachment: { type: "date_change" } });
        break;
      case "error":
        this.#piece("error", { type: "text", text: "overloaded" }, { isApiErrorMessage: true });
        break;
      case "silence":
        this.#piece(`empty ${this.#count}`, { type: "text", text: " " });
        break;
      case "sidechain": {
        const [last, branch] = [this.#last, this.#branch];
        this.#last = null;
        this.#add({ type: "user", isSidechain: true, message: { role: "user", content: "sub" } });
        [this.#last, this.#branch] = [last, branch];
        break;
      }
      case "rewind": {
        const [last, branch] = [this.#last, this.#branch];
        this.write({ kind: "human" });
        this.#piece(`abandoned ${this.#count}`, { type: "text", text: "never mind" });
        [this.#last, this.#branch] = [last, branch];
        this.write({ kind: "human" });
        break;
      }
      case "calls":
        this.#calls(step as Extract<Step, { kind: "calls" }>);
        break;
    }
  }

  /** Needs something that was said: a compaction without originals is none that can be undone. */
  compact({ kept, place, restored, isManual }: Compaction, name: string): void {
    if (!this.#hasResponse) return;
    const own = (message: object): void => this.#push({ timestamp: this.#time(1e12), ...message });
    const uuid = `boundary ${name}`;
    const keptBranch = kept === 0 ? [] : this.#branch.slice(-kept);
    const [headUuid, tailUuid] = [keptBranch[0], keptBranch.at(-1)];
    const anchorUuid = place === "after-summary" ? `summary ${name}` : null;
    const preservedSegment = { headUuid, tailUuid, anchorUuid };
    own({
      type: "system",
      subtype: "compact_boundary",
      uuid,
      parentUuid: null,
      logicalParentUuid: this.#last,
      compactMetadata: {
        trigger: "auto",
        preTokens: 1,
        ...(keptBranch.length > 0 ? { preservedSegment } : {}),
      },
    });
    this.#branch = keptBranch;
    this.#last = uuid;
    const behind = (id: string, message: object): void => {
      own({ uuid: id, parentUuid: this.#last, ...message });
      this.#last = id;
    };
    const said = (content: string) => ({ type: "user", message: { role: "user", content } });
    behind(`summary ${name}`, { ...said("so far"), isCompactSummary: true });
    for (const [index, type] of restored.entries()) {
      behind(`restored ${name} ${index}`, { type: "attachment", attachment: { type } });
    }
    if (isManual) behind(`command ${name}`, said("<command-name>/compact</command-name>"));
  }

  #calls({ count, isInterleaved }: Extract<Step, { kind: "calls" }>): void {
    const id = `response ${this.#count}`;
    this.#piece(id, { type: "text", text: `doing ${this.#count}` });
    const calls = Array.from({ length: count }, (_, index) => `${id} call ${index}`);
    const results: (() => void)[] = [];
    for (const call of calls) {
      this.#piece(id, { type: "tool_use", id: call, name: "Read", input: {} });
      const parentUuid = this.#last;
      const block = { type: "tool_result", tool_use_id: call, content: "found" };
      const answer = () => {
        this.#add({ type: "user", parentUuid, message: { role: "user", content: [block] } });
      };
      if (isInterleaved) answer();
      else results.push(answer);
    }
    for (const answer of results) answer();
    this.#hasResponse = true;
  }

  #piece(id: string, block: object, flags: object = {}): void {
    const message = { id, role: "assistant", model: "claude-opus-5", content: [block] };
    this.#add({ type: "assistant", message, ...flags });
  }

  #add(message: object): void {
    this.#count += 1;
    const uuid = `m${this.#count}`;
    this.#push({ uuid, parentUuid: this.#last, timestamp: this.#time(this.#count), ...message });
    this.#last = uuid;
    this.#branch = [...this.#branch, uuid];
  }

  #push(message: object): void {
    this.lines.push({ sessionId: "s", ...message } as Message);
  }

  #time(seconds: number): string {
    return new Date(seconds * 1000).toISOString();
  }
}

function record({ steps, compactions }: Told): readonly Message[] {
  const recorder = new Recorder();
  recorder.write({ kind: "human" });
  for (const [index, next] of steps.entries()) {
    const before = compactions.get(index);
    if (before !== undefined) recorder.compact(before, String(index));
    recorder.write(next);
  }
  return recorder.lines;
}

function play(lines: readonly Message[]): readonly RecordedRound[] {
  const undoer = new CompactionUndoer();
  for (const line of lines) undoer.add(line);
  const played = undoer.finish();
  const builder = new RoundBuilder();
  expect(played.undoneCompactions).toBe(lines.filter(isCompactBoundary).length);
  return lines.flatMap((line, ordinal) =>
    played.isPlayed(ordinal) ? builder.take(line, played.endsResponse(ordinal)) : [],
  );
}

const shown = (rounds: readonly RecordedRound[]) =>
  rounds.map(({ incoming, ...round }) => ({ ...round, incoming: incoming.map(({ uuid }) => uuid) }));

describe("the rounds of a recording", () => {
  it("are those of the same conversation without its compactions", () => {
    checkProperty("undone compactions", told, ({ steps, compactions }) => {
      const compacted = play(record({ steps, compactions }));
      expect(shown(compacted)).toEqual(shown(play(record({ steps, compactions: new Map() }))));
    });
  });

  it("hold every call once, with its result at most once, in times that never go back", () => {
    checkProperty("whole rounds", told, (conversation) => {
      const rounds = play(record(conversation));
      const calls = rounds.flatMap(({ response }) =>
        response.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
      );
      const results = rounds.flatMap(({ incoming }) =>
        incoming.flatMap((message) =>
          message.type === "user" && typeof message.message.content !== "string"
            ? message.message.content.flatMap((block) =>
                block.type === "tool_result" ? [block.tool_use_id] : [],
              )
            : [],
        ),
      );
      expect(new Set(calls).size).toBe(calls.length);
      expect(new Set(results).size).toBe(results.length);
      const times = rounds.flatMap(({ at, response }) => [at, response.at]);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });
  });
});

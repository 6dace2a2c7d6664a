import fc from "fast-check";
import { expect, it } from "vitest";
import { createConversation, type Message } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { liveMessages } from "@palimpsest/core/engine";
import {
  createMemoryFileAccess,
  createMemoryReadState,
  restore,
  type ReadStateSnapshot,
} from "@palimpsest/core/restore";
import { output } from "./world.js";
import { createSample } from "../../packages/core/src/engine/tools/testing/sample.js";

const LINES = 240;
const paths = ["/w/a.ts", "/w/b.ts", "/w/c.ts"];

type Step =
  | { readonly do: "read"; readonly file: number; readonly line: number }
  | { readonly do: "edit"; readonly file: number; readonly line: number }
  | { readonly do: "work" }
  | { readonly do: "compact" };

/** A host whose files, read-state and transcript are in memory. What it has written can be resumed at any time. */
function createHost() {
  const sample = createSample();
  const texts = paths.map((path) =>
    Array.from({ length: LINES }, (_, at) => `const value${at} = "${path}, as it was first";`),
  );
  const files = createMemoryFileAccess();
  const write = (file: number): void =>
    files.write(paths[file] ?? "", { content: (texts[file] ?? []).join("\n"), mtime: sample.at });
  for (const file of paths.keys()) write(file);
  const readState = createMemoryReadState();
  const stored: Message[] = [];
  const options = (state: typeof readState) => ({
    model: "claude-opus-5",
    maxTokens: 4000,
    compaction,
    sessionId: "s",
    clock: { now: () => sample.at },
    settings: { restoreFilesTokens: 3000, keepRecentTokens: 1000 },
    state: { restore, readState: state, ports: { files } },
  });
  const conversation = createConversation({
    ...options(readState),
    ids: sample.origin().ids,
    writer: { append: async (messages) => void stored.push(...messages), close: async () => {} },
  });
  const call = (name: string, input: Readonly<Record<string, unknown>>, result: string) =>
    conversation.append(...sample.round({ calls: [{ name, input, result }] }));
  return {
    conversation,
    readState,
    call,
    begin: () => conversation.append(sample.user("Work on it.")),
    async step(step: Step) {
      sample.at += 30_000;
      if (step.do === "compact") return void (await conversation.compact());
      if (step.do === "work")
        return call("Bash", { command: `npm test ${sample.at}` }, output(sample.at, 20_000));
      const path = paths[step.file] ?? "";
      const lines = texts[step.file] ?? [];
      const timestamp = sample.at;
      if (step.do === "read") {
        const range = { offset: step.line + 1, limit: 30 };
        readState.remember(path, { timestamp, mtime: timestamp, ...range });
        const shown = lines.slice(step.line, step.line + 30).join("\n");
        return call("Read", { file_path: path, ...range }, shown);
      }
      const [from, to] = [lines[step.line] ?? "", `const changed${step.line} = ${sample.at};`];
      lines[step.line] = to;
      write(step.file);
      readState.remember(path, { timestamp, mtime: timestamp, content: lines.join("\n") });
      return call("Edit", { file_path: path, old_string: from, new_string: to }, "done");
    },
    /** The same conversation in another process: of the transcript as it is on the disk, and of what the host knew. */
    resumed(known: ReadStateSnapshot) {
      const written = JSON.parse(JSON.stringify(stored)) as readonly Message[];
      return createConversation(
        { ...options(createMemoryReadState({ snapshot: known })), ids: { next: () => crypto.randomUUID() } },
        liveMessages(written),
      );
    },
  };
}

/** What came back of files, in their order. */
const filesIn = (live: readonly Message[]): readonly unknown[] =>
  live.flatMap((message) =>
    message.type === "attachment" && message.attachment.type === "file" ? [message.attachment] : [],
  );

const place = { file: fc.nat({ max: paths.length - 1 }), line: fc.nat({ max: LINES - 1 }) };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("edit" as const), ...place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("read" as const), ...place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("work" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const) }) },
);

it("whatever was read, edited and compacted, the next compaction brings back the same parts in a resumed conversation", async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
      const host = createHost();
      await host.begin();
      for (const one of [...steps, { do: "work" } as const]) await host.step(one);
      const resumed = host.resumed(host.readState.snapshot());
      const outcomes = [await host.conversation.compact(), await resumed.compact()];
      expect(outcomes[1]?.kind).toBe(outcomes[0]?.kind);
      const [came, again] = [filesIn(host.conversation.live), filesIn(resumed.live)];
      expect(again).toEqual(came);
      compared += came.length;
    }),
    { numRuns: 300 },
  );
  expect(compared).toBeGreaterThan(10);
});

it("a call that a compaction makes necessary again is counted alike live and resumed, and the next compaction carries it on", async () => {
  const host = createHost();
  await host.begin();
  const answers = Array.from({ length: 5 }, (_, at) => `part ${at}: ${"what the command said ".repeat(40)}`);
  const ask = (at: number) => host.call("Bash", { command: `show part ${at}` }, answers[at] ?? "");
  for (const at of answers.keys()) await ask(at);
  for (let at = 0; at < 4; at += 1) await host.step({ do: "work" });
  await host.step({ do: "compact" });
  for (const at of answers.keys()) await ask(at);
  for (let at = 0; at < 4; at += 1) await host.step({ do: "work" });
  const boundaryOf = async (conversation: { compact: typeof host.conversation.compact }) => {
    const outcome = await conversation.compact();
    if (outcome.kind !== "compacted") throw new Error(outcome.message);
    return outcome.boundary.compactMetadata;
  };
  const resumed = host.resumed(host.readState.snapshot());
  const [live, again] = [await boundaryOf(host.conversation), await boundaryOf(resumed)];
  expect(live?.["redoneBefore"]).toBe(answers.length / 2);
  expect(again?.["redoneBefore"]).toBe(answers.length / 2);
  expect(again?.["goneResults"]).toEqual(live?.["goneResults"]);
  // The stretch after it knows half of them, and the one after that a quarter.
  for (let at = 0; at < 4; at += 1) await host.step({ do: "work" });
  const third = host.resumed(host.readState.snapshot());
  expect((await boundaryOf(third))?.["redoneBefore"]).toBe(answers.length / 4);
});

import { normalise, type Message, type RequestMessage } from "@palimpsest/core";
import { createNormaliser, reachesModel } from "@palimpsest/core/engine";
import { findProblems } from "@palimpsest/core/validity";
import type { Random } from "../bench/random.js";
import { makeBrokenList } from "./broken-list.js";
import { ensure, ensureSame } from "./ensure.js";
import type { SoakContext, SoakRun } from "./soak-run.js";

const LISTS = 100_000;
const CHECK_EVERY = 200;
const models = ["claude-opus-5", "claude-opus-4-5", "claude-sonnet-5-5", "claude-haiku-4-5", "gpt-5.5"];
const tools = [
  { name: "Read", input_schema: { type: "object", properties: { path: { type: "string" } } } },
  { name: "Bash", input_schema: { type: "object", properties: {}, additionalProperties: false } },
];
type Options = NonNullable<Parameters<typeof normalise>[1]>;

export const listsRun: SoakRun = {
  name: "lists",
  about:
    "whatever the list of messages, the request is one that the API accepts, the same in pieces, and costs what is new",
  passes: 10,
  pass: normaliseAnything,
};

async function normaliseAnything({ random, step, isOver }: SoakContext): Promise<void> {
  ensureFlat();
  for (let number = 0; number < LISTS; number += 1) {
    const messages = makeBrokenList(random);
    try {
      judge(messages, random);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`${why}, of the list ${JSON.stringify(messages).slice(0, 2000)}`, { cause: error });
    }
    await step({ lists: 1 });
    if (number % CHECK_EVERY === CHECK_EVERY - 1 && isOver()) return;
  }
}

function judge(messages: readonly Message[], random: Random): void {
  const withTools = random.next() < 0.5;
  const options: Options = withTools ? { tools } : {};
  const before = JSON.stringify(messages);
  const normalised = normalise(messages, options);
  ensure(JSON.stringify(messages) === before, "the list itself was changed");
  if (messages.some(reachesModel)) {
    const { messages: sent } = normalised;
    const request = { model: random.pick(models), max_tokens: 1024, messages: sent, ...options };
    ensureSame(findProblems(JSON.parse(JSON.stringify(request))), [], "problems of the request");
    const last = sent.at(-1);
    ensure(last?.role === "user", "a request that does not end with a user message");
  } else ensureSame(normalised.messages, [], "a request of nothing");
  const twice = normalise(asConversation(normalised.messages), options);
  ensureSame(twice.messages, normalised.messages, "normalised twice");
  ensureSame(twice.repairs, [], "what is mended the second time");
  ensureSame(inPieces(messages, options, random), normalised, "in pieces");
}

function inPieces(messages: readonly Message[], options: Options, random: Random): unknown {
  const normaliser = createNormaliser(options);
  let last = normaliser.append([]);
  for (let at = 0; at < messages.length;) {
    const size = 1 + random.below(4);
    last = normaliser.append(messages.slice(at, at + size));
    at += size;
    // What was handed out stays as it was when more comes.
    ensure(!last.messages.some((message) => message.content.length === 0), "a message without content");
  }
  return last;
}

/** A request as messages of a conversation again. */
const asConversation = (messages: readonly RequestMessage[]): readonly Message[] =>
  messages.map((message, index) => ({
    ...base(`n${index}`),
    type: message.role,
    message: { id: `msg_n${index}`, model: "claude-opus-5", ...message },
  })) as unknown as readonly Message[];

const base = (uuid: string) => ({
  uuid,
  parentUuid: null,
  timestamp: "2026-11-15T10:00:00.000Z",
  sessionId: "s",
});

/** A response with a call, and its result. */
const round = (number: number): readonly Message[] =>
  asConversation([
    { role: "assistant", content: [{ type: "tool_use", id: `toolu_${number}`, name: "Read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${number}`, content: "ok" }] },
  ]).map((message, index) => ({
    ...message,
    ...base(`r${number}.${index}`),
    ...(message.type === "assistant" ? { message: { ...message.message, id: `msg_r${number}` } } : {}),
  })) as readonly Message[];

const FEW = 100;
const MANY = 10_000;
const TRIES = 200;

/** What a round costs does not grow with the conversation, but for the copy of the outer list: the least of many tries. */
function ensureFlat(): void {
  const few = leastCost(FEW);
  const many = leastCost(MANY);
  const most = 3 * few.append + 4 * many.copy + 10;
  ensure(
    many.append < most,
    `a round after ${MANY} messages takes ${many.append} µs, after ${FEW} ${few.append} µs`,
  );
}

function leastCost(length: number): { readonly append: number; readonly copy: number } {
  const normaliser = createNormaliser();
  const begin = asConversation([{ role: "user", content: [{ type: "text", text: "begin" }] }]);
  let { messages } = normaliser.append([
    ...begin,
    ...Array.from({ length: length / 2 }, (_, number) => round(number)).flat(),
  ]);
  let [append, copy] = [Infinity, Infinity];
  for (let tried = 0; tried < TRIES; tried += 1) {
    const more = round(length + tried);
    const started = performance.now();
    const next = normaliser.append(more).messages;
    const appended = performance.now();
    const copied = next.slice();
    copy = Math.min(copy, (performance.now() - appended) * 1000);
    append = Math.min(append, (appended - started) * 1000);
    // All that cannot grow any more is what it was, object for object.
    const lastUser = messages.findLastIndex(({ role }) => role === "user");
    for (let at = 0; at < lastUser; at += 1) ensure(copied[at] === messages[at], "a message was built again");
    messages = next;
  }
  return { append, copy };
}

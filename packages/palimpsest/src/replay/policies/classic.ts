import type { Attachment, Message } from "@palimpsest/core";
import type { RememberedRead } from "@palimpsest/core/restore";
import { sendable } from "@palimpsest/core/protocols";
import { createRecordedWorld, type RecordedWorld } from "../world/recorded-world.js";
import { watchForgotten } from "../world/watch-forgotten.js";
import { askAside, isTooLong, summaryIn } from "./ask-aside.js";
import { createCompactingRun } from "./compacting-run.js";
import { playedBlocks } from "./played-blocks.js";
import type { Policy, PolicyHost } from "./policy.js";
import { PromptList, roundsOf, withInstruction, withoutThinking } from "./prompt-list.js";

/** Room for an answer or a summary, and what is left free before that: 167,000 of 200,000 tokens may be used. */
const RESERVED_TOKENS = 20_000;
const BUFFER_TOKENS = 13_000;
/** What is only estimated counts a third more. */
const PADDING = 4 / 3;
const FILES = 5;
const FILE_TOKENS = 5000;
const FILES_TOKENS = 50_000;
const CHARACTERS_PER_TOKEN = 4;
const SUMMARY_TOKENS = 20_000;
/** How often the oldest fifth of the rounds is left out of a summary call that is too long. */
const RETRIES = 3;
const DROPPED_SHARE = 0.2;
/** These come through the system prompt. */
const MEMORY_FILES = /(?:^|[/\\])(?:AGENTS|CLAUDE)\.md$/;

const SYSTEM = "You are tasked with summarising conversations.";
const INSTRUCTION = `Answer in text only: do not call any tools.
Create a detailed summary of the conversation so far, so that the work can go on without it. Think it through in
<analysis> first, then write <summary> with these sections:
1. Primary request and intent
2. Key technical concepts
3. Files and code sections
4. Errors and fixes
5. Problem solving
6. All user messages
7. Pending tasks
8. Current work
9. Optional next step
Once more: text only, no tool calls.`;

/**
 * The design that this project's engine is modelled on: nothing happens until the window is nearly full; then one
 * summary, written on the shared cache, takes the place of everything, and the files that were read last are read
 * again. Entries live an hour.
 */
export function createClassicPolicy(): Policy {
  return {
    name: "classic",
    description: "one late summary on the shared cache, then the five files that were read last",
    ttls: ["1h"],
    start(host) {
      const list = new PromptList(host);
      const world = createRecordedWorld();
      const forgotten = watchForgotten(world.state.readState);
      const limit = Math.max(host.window / 2, host.window - RESERVED_TOKENS - BUFFER_TOKENS);
      const run = createCompactingRun({
        list,
        isDue: () => list.paddedSize(PADDING) >= limit,
        async compact(isRefused) {
          const text =
            (isRefused ? undefined : await onSharedCache(list, host)) ?? (await coldSummary(list, host));
          if (text === undefined) return undefined;
          const files = await filesAgain({ ...world.state, readState: forgotten.watched }, host.now());
          return list.replace([list.say(continued(text)), ...files.map((file) => list.attach(file))], "full");
        },
        note: {
          incoming: (messages) => world.note(messages, host.now()),
          response: ({ content }) => world.noteResponse(playedBlocks(content), host.now()),
        },
      });
      return { ...run, holdsFile: (path) => !forgotten.has(path) };
    },
  };
}

const continued = (summary: string): string =>
  [
    "This conversation continues an earlier one that ran out of context. What happened in it:",
    summary,
    "Go on from where it stopped. Ask nothing, and do not speak of this summary.",
  ].join("\n\n");

async function onSharedCache(list: PromptList, { provider }: PolicyHost): Promise<string | undefined> {
  const answer = await askAside(provider, list.requestAside(INSTRUCTION));
  return "text" in answer ? summaryIn(answer.text) : undefined;
}

/** All messages without thinking, with a short system prompt; too long, without the oldest rounds. */
async function coldSummary(list: PromptList, host: PolicyHost): Promise<string | undefined> {
  let rounds = roundsOf(list.messages);
  for (let retry = 0; rounds.length > 0 && retry <= RETRIES; retry += 1) {
    const answer = await askAside(host.provider, coldCall(rounds.flat(), host));
    if ("text" in answer) return summaryIn(answer.text);
    if (!isTooLong(answer)) return undefined;
    rounds = rounds.slice(Math.max(1, Math.ceil(rounds.length * DROPPED_SHARE)));
  }
  return undefined;
}

function coldCall(messages: readonly Message[], host: PolicyHost) {
  const history = new PromptList(host);
  history.append(messages.map(withoutThinking));
  return {
    request: sendable({
      model: host.model,
      max_tokens: Math.min(SUMMARY_TOKENS, host.maxTokens),
      system: SYSTEM,
      tools: host.tools,
      messages: withInstruction(history.wire, INSTRUCTION),
    }),
  };
}

/** The files that were read last, as they are now; from here on these are all that the host knows to be read. */
async function filesAgain(
  { readState, ports }: RecordedWorld["state"],
  now: number,
): Promise<readonly Attachment[]> {
  const chosen = readState
    .snapshot()
    .reads.filter(({ path, isMemory, hasFailed }) => !isMemory && !hasFailed && !MEMORY_FILES.test(path))
    .slice(0, FILES);
  const files: Attachment[] = [];
  const restored: RememberedRead[] = [];
  let tokens = 0;
  for (const { path, offset, limit } of chosen) {
    const maxCharacters = FILE_TOKENS * CHARACTERS_PER_TOKEN;
    const whole = await ports.files?.read(path, { maxCharacters });
    // A recording may only show the part that was read.
    const part = { ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) };
    const outcome =
      whole?.kind === "text" ? whole : await ports.files?.read(path, { maxCharacters, ...part });
    if (outcome?.kind !== "text") continue;
    const size = outcome.content.length / CHARACTERS_PER_TOKEN;
    if (tokens + size > FILES_TOKENS) continue;
    tokens += size;
    const content = outcome.isTruncated
      ? `${outcome.content}\n[cut here: read the file for the rest]`
      : outcome.content;
    files.push({ type: "file", path, content, context: "post-compact" });
    restored.push({ path, content: outcome.content, timestamp: now, mtime: outcome.mtime });
  }
  readState.restore({ reads: restored });
  return files;
}

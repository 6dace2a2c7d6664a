import { liveMessages } from "../../messages/transcript/live.js";
import type { SystemPrompt } from "../prompt/sections.js";
import { branchMessages } from "./branch-messages.js";
import type { BranchOptions } from "./conversation-api.js";
import { checkOptions } from "./check-options.js";
import type { ConversationOptions } from "./conversation-options.js";
import type { ResolvedOptions, RestoreSources } from "./host-options.js";
import { resolveOptions } from "./defaults.js";
import { startRunner, type Runner } from "./run.js";
import { createSetup } from "./setup.js";

type Handed = ConversationOptions & ResolvedOptions;

/** A second conversation that goes on from here. Nothing that happens to it changes the first one. */
export async function branchOff(
  { state, notes }: Runner,
  options: Handed,
  given: BranchOptions,
): Promise<{ readonly options: Handed; readonly runner: Runner }> {
  // What these refer to is the first conversation's.
  const { writer: _writer, history: _history, events: _events, cleanup: _cleanup, ...shared } = options;
  const { model, maxTokens, windows, context } = state;
  const prompt = shared.system?.prompt;
  const wanted: ConversationOptions = {
    ...shared,
    ...(shared.notes?.branch === undefined || notes === undefined
      ? {}
      : { notes: shared.notes.branch(await notes.read()) }),
    ...(shared.state === undefined ? {} : { state: ownState(shared.state) }),
    ...(prompt === undefined ? {} : { system: { ...shared.system, prompt: await holding(prompt) } }),
    sessionId: shared.ids.next(),
    ...given,
    model,
    maxTokens,
  };
  checkOptions(wanted);
  const own = resolveOptions(wanted, []);
  const setup = createSetup(own);
  const { clock, ids } = setup;
  const origin = { clock, ids, sessionId: own.sessionId };
  const messages = branchMessages(context.live, { origin, from: options.sessionId });
  await own.writer?.append(messages);
  const runner = startRunner(setup, liveMessages(messages));
  const window = windows.get(model);
  if (window !== undefined) runner.note({ kind: "refused", window });
  return { options: own, runner };
}

/** What was read is the same, and what is read from now on is not. */
function ownState({ nestedMemory: _memory, ...state }: RestoreSources): RestoreSources {
  return { ...state, readState: state.readState.clone() };
}

/** The sections as they are now, whoever resets them; after a reset of its own, as they are then. */
async function holding(prompt: SystemPrompt): Promise<SystemPrompt> {
  let held = await prompt.resolve().catch(() => undefined);
  return {
    async resolve() {
      const now = await prompt.resolve();
      const sections = (held ??= now);
      const known = new Set(sections.map(({ name }) => name));
      return [
        ...sections.flatMap((section) =>
          section.volatileBecause === undefined ? [section] : now.filter(({ name }) => name === section.name),
        ),
        ...now.filter(({ name, volatileBecause }) => volatileBecause !== undefined && !known.has(name)),
      ];
    },
    reset() {
      held = undefined;
    },
  };
}

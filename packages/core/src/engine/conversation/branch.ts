import type { Message } from "../../messages/message.js";
import { liveMessages } from "../../messages/transcript/live.js";
import { holdSections } from "../prompt/request-state.js";
import type { SystemPrompt } from "../prompt/sections.js";
import { isFields } from "../../messages/fields.js";
import { branchMessages } from "./branch-messages.js";
import { demand } from "./check-options.js";
import type { BranchOptions } from "./conversation-api.js";
import type { BranchedOff, BranchStage, ConversationOptions } from "./conversation-options.js";
import type { RestoreSources } from "./host-options.js";
import { rewind } from "./rewind.js";
import type { Running } from "./stages.js";

/** A second conversation that goes on from here. Nothing that happens to it changes the first one. */
async function branchOff(
  { setup, state, notes }: Running,
  options: ConversationOptions,
  branching: BranchOptions,
): Promise<BranchedOff> {
  demand(isFields(branching), "branch: the options must be an object, such as `{ sessionId, writer }`");
  const { history, ...given } = branching;
  // What these refer to is the first conversation's.
  const { writer: _writer, events: _events, cleanup: _cleanup, ...shared } = options;
  const { model, maxTokens, windows, context } = state;
  const { system } = setup.options;
  const prompt = system?.prompt;
  const sessionId = given.sessionId ?? setup.ids.next();
  const own: ConversationOptions = {
    ...shared,
    ...(shared.notes?.branch === undefined || notes === undefined
      ? {}
      : { notes: shared.notes.branch(await notes.read()) }),
    ...(shared.state === undefined ? {} : { state: ownState(shared.state) }),
    ...(prompt === undefined ? {} : { system: { ...system, prompt: await holding(prompt) } }),
    ...given,
    branches: branches(history === undefined ? {} : { history }),
    sessionId,
    model,
    maxTokens,
  };
  const { clock = setup.clock, ids = setup.ids } = own;
  const from = setup.options.sessionId;
  const stored = branchMessages(context.live, { origin: { clock, ids, sessionId }, from });
  return { options: own, stored, live: liveMessages(stored), window: windows.get(model) };
}

/** Goes back and branches. `history` gives everything that was stored, for what the live messages no longer hold. */
export const branches = ({
  history,
}: { readonly history?: () => Promise<readonly Message[]> } = {}): BranchStage => {
  demand(
    history === undefined || typeof history === "function",
    "branches: `history` must be a function that gives everything that was stored",
  );
  return {
    name: "branches",
    rewind: (running, to) => rewind(running, to, history),
    branch: branchOff,
  };
};

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
      return holdSections((held ??= now), now);
    },
    reset() {
      held = undefined;
    },
  };
}

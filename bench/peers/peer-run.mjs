import { PromptList } from "../../packages/palimpsest/dist/replay/policies/prompt-list.js";
import { createJoiner, marked } from "./joined-messages.mjs";

/**
 * A conversation that another library edits. It is handed the messages in its own kind, the new ones after what it
 * left of the old; what it makes of them is sent with the markers that every policy here sends. None of the peers
 * does anything about a refusal: the conversation ends there.
 *
 * @param host the `PolicyHost`
 * @param peer `convert(message)`: a request message in the peer's kind. `edit(messages, tokens)` resolves to
 *   `{ state, pieces, edits }`: the messages from here on, and what to send of them as `{ role, blocks }`, with blocks
 *   that stay the same objects while they do not change.
 */
export function createPeerRun(host, peer) {
  const list = new PromptList(host);
  const join = createJoiner();
  const made = new Map();
  let taken = [];
  let messages = [];
  const takeNew = () => {
    const { wire } = list;
    // What was sent last grows where the answer to it was empty.
    const gone = new Set(
      taken.filter((message, index) => wire[index] !== message).flatMap((old) => made.get(old)),
    );
    messages = messages.filter((message) => !gone.has(message));
    wire.forEach((message, index) => {
      if (taken[index] === message) return;
      join.know(message);
      made.set(message, peer.convert(message));
      messages.push(...made.get(message));
    });
    taken = wire;
  };
  return {
    append: async (appended) => list.append(appended),
    async prepare() {
      takeNew();
      const { state, pieces, edits } = await peer.edit(messages, list.size);
      messages = state;
      return {
        kind: "request",
        call: list.request({ messages: marked(join.messages(pieces), host.ttl) }),
        edits,
      };
    },
    async answered(response) {
      list.answered(response);
      return [];
    },
    refused: async () => ({ next: "end", edits: [] }),
  };
}

/** An edit as reports count them: what it freed is measured in characters, four to a token. */
export function editOf(tier, { before, after, tokens }) {
  const freed = Math.round((charactersOf(before) - charactersOf(after)) / 4);
  return { tier, tokensBefore: tokens, tokensAfter: Math.max(0, tokens - freed) };
}

const charactersOf = (pieces) => pieces.reduce((sum, { blocks }) => sum + JSON.stringify(blocks).length, 0);

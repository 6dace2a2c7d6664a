/**
 * Puts pieces `{ role, blocks }` together to request messages: neighbours of one role are one message, as the
 * adapters of both libraries for this API send them. A message whose blocks did not change is the same object as
 * before.
 */
export function createJoiner() {
  /** The messages that begin with a block, the newest last. */
  const known = new WeakMap();
  const know = (message) => {
    const [first] = message.content;
    if (first === undefined) return;
    const list = known.get(first);
    if (list === undefined) known.set(first, [message]);
    else list.push(message);
  };
  const messageOf = ({ role, blocks }) => {
    const same = known.get(blocks[0])?.findLast(({ content }) => isSame(content, blocks));
    if (same !== undefined) return same;
    const message = { role, content: blocks };
    know(message);
    return message;
  };
  return {
    know,
    messages(pieces) {
      const joined = [];
      for (const { role, blocks } of pieces) {
        if (blocks.length === 0) continue;
        const last = joined.at(-1);
        if (last?.role === role) last.blocks.push(...blocks);
        else joined.push({ role, blocks: [...blocks] });
      }
      return joined.map(messageOf);
    },
  };
}

const isSame = (left, right) =>
  left.length === right.length && left.every((block, index) => block === right[index]);

/** With the markers that the policies of this repository send: on the last two user messages. */
export function marked(messages, ttl) {
  const marker = ttl === "1h" ? { type: "ephemeral", ttl } : { type: "ephemeral" };
  const copy = [...messages];
  let left = 2;
  for (let at = copy.length - 1; at >= 0 && left > 0; at -= 1) {
    const { role, content } = copy[at];
    if (role !== "user") continue;
    copy[at] = { role, content: [...content.slice(0, -1), { ...content.at(-1), cache_control: marker }] };
    left -= 1;
  }
  return copy;
}

/** Plays recordings for `request-hashes.mjs`, one after another, as they come. */
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { encodeMessagesCall } from "../packages/palimpsest/dist/providers/messages-call.js";
import { createPlayableRounds } from "../packages/palimpsest/dist/replay/play/playable-round.js";
import { playingConditions } from "../packages/palimpsest/dist/replay/play/playing-conditions.js";
import { PolicyConversation } from "../packages/palimpsest/dist/replay/play/policy-conversation.js";
import { parsePolicies } from "../packages/palimpsest/dist/replay/policies/parse-policies.js";
import { openConversation } from "../packages/palimpsest/dist/replay/rounds/open-conversation.js";

/**
 * Plays one recording with a policy and hands over every request in the order in which they are sent: those of the
 * conversation, and those beside it (summaries, notes), refused ones too. Nothing is judged and nothing read again.
 */
async function playRequests({ file, policy: name, window }, onRequest) {
  const recording = await openConversation(file);
  const conditions = await playingConditions(recording, { window });
  const [policy] = parsePolicies(name);
  const playable = createPlayableRounds();
  let cost = 0;
  let conversation;
  for await (const recorded of recording.rounds()) {
    const round = playable.next(recorded);
    conversation ??= new PolicyConversation(
      { ...conditions, policy: heard(policy, onRequest), ttl: policy.ttls[0], startTime: round.at },
      { billed: (verdict) => (cost += verdict.cost) },
    );
    await conversation.append(round.incoming, round.at, round);
    const answered = await conversation.ask(() => ({ content: round.response.content }));
    if (answered === undefined) break;
    await conversation.answered(answered, round.response.at);
  }
  return { cost, ending: conversation?.ending?.because ?? null };
}

/** The same policy, with somebody who hears every call that it makes. */
function heard(policy, onRequest) {
  return {
    ...policy,
    start(host) {
      const { provider } = host;
      const run = policy.start({
        ...host,
        provider: {
          ...provider,
          stream(call, ...rest) {
            onRequest(call, true);
            return provider.stream(call, ...rest);
          },
        },
      });
      return {
        ...run,
        async prepare() {
          const prepared = await run.prepare();
          if (prepared.kind === "request") onRequest(prepared.call, false);
          return prepared;
        },
      };
    },
  };
}

/**
 * A request by its parts, told by their hashes: `set` has those that the request before did not have or had otherwise
 * (`headers`, each field of the body, each message by its place).
 */
function createPrinter() {
  let before = new Map();
  const messages = new WeakMap();
  const printOf = (text) => `${text.length}-${sha256(text).slice(0, 10)}`;
  const printOfMessage = (message) => {
    let print = messages.get(message);
    if (print === undefined)
      messages.set(message, (print = message.role[0] + printOf(JSON.stringify(message))));
    return print;
  };
  return (call, isAside) => {
    const { headers, body } = encodeMessagesCall(call);
    const head = JSON.stringify(headers);
    const { messages: list, ...fields } = call.request;
    const parts = new Map([["headers", printOf(head)]]);
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined) parts.set(name, printOf(JSON.stringify(value)));
    for (const [at, message] of list.entries()) parts.set(`message ${at + 1}`, printOfMessage(message));
    const set = {};
    for (const [name, print] of parts) if (before.get(name) !== print) set[name] = print;
    const gone = [...before.keys()].filter((name) => !parts.has(name));
    before = parts;
    return {
      hash: sha256(`${head}\n${body}`),
      ...(isAside ? { isAside } : {}),
      messages: list.length,
      bytes: Buffer.byteLength(body),
      set,
      ...(gone.length > 0 ? { gone } : {}),
    };
  };
}

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

parentPort.on("message", async ({ task, only }) => {
  const print = createPrinter();
  const requests = [];
  let shown;
  const end = await playRequests(task, (call, isAside) => {
    requests.push(print(call, isAside));
    if (requests.length === only) shown = encodeMessagesCall(call);
  });
  const all = sha256(requests.map(({ hash }) => hash).join("\n"));
  const short = requests.map((request) => ({ ...request, hash: request.hash.slice(0, 16) }));
  parentPort.postMessage({ sha256: all, ...end, requests: short, shown }, []);
});

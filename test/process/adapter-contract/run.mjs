/**
 * What holds for every adapter, tried with one framework: `node run.mjs ai-sdk [streamed|whole]`, with answers of both
 * kinds or of one. A line of JSON for each case, `{ name, error? }`.
 */
import assert from "node:assert/strict";
import { createMemoryStandIns } from "@palimpsest/core/tree";
import { createLab, isSummary, settings, task } from "./lab.mjs";

const { createClient, systemMessage, own = [] } = await import(`./${process.argv[2]}.mjs`);

/** A conversation of one's own, and what is told of it. */
function begin(more = {}) {
  const lab = createLab();
  const steps = [];
  const options = { settings, onStep: (step) => steps.push(step), ...more };
  return { lab, steps, ask: createClient({ lab, options }) };
}

const compactions = (steps) => steps.filter(({ compacted }) => compacted !== undefined).length;
const isAbort = (error) => /abort/i.test(`${error.name} ${error.message}`);

async function toolLoop(isStreamed) {
  const { lab, steps, ask } = begin();
  lab.want(14);
  let heard = "";
  const { text, history } = await ask({ text: task, isStreamed, onText: (part) => (heard += part) });
  assert.equal(text, "The audit is done.");
  if (isStreamed) assert.match(heard, /The audit is done\.$/);
  assert.equal(lab.reads(), 14);
  assert.deepEqual(lab.refused(), []);
  assert.ok(compactions(steps) >= 1);
  assert.ok(lab.cached() > 0.7, `${lab.cached()} from the cache`);
  assert.match(JSON.stringify(lab.bodies.at(-1)), /marzipan/);
  // It goes on with its own list, which holds everything, and makes nothing fit again.
  const before = compactions(steps);
  const [last] = lab.verdicts().slice(-1);
  lab.want(0);
  await ask({ history, text: "And now?", isStreamed });
  assert.equal(compactions(steps), before);
  assert.equal(lab.verdicts().at(-1).cacheRead, last.promptTokens);
}

async function structured(isStreamed) {
  const { lab, steps, ask } = begin();
  lab.want(12);
  const { object } = await ask({ text: task, isStreamed, isStructured: true });
  assert.deepEqual(object, { ok: true });
  assert.equal(lab.reads(), 12);
  assert.deepEqual(lab.refused(), []);
  assert.ok(compactions(steps) >= 1);
  for (const body of lab.bodies)
    assert.equal(JSON.stringify(body).includes('"json_schema"'), !isSummary(body));
}

/** Somebody calls it off while a request is on its way; what was said before goes on as if nothing had been. */
async function calledOff(isStreamed) {
  const { lab, steps, ask } = begin();
  lab.want(3);
  const { history } = await ask({ text: task, isStreamed });
  const controller = new AbortController();
  const held = lab.hold(() => true);
  const failed = ask({ history, text: "Go on.", isStreamed, signal: controller.signal }).then(
    () => assert.fail("it was called off"),
    (error) => error,
  );
  await held;
  const sent = lab.bodies.length;
  controller.abort();
  const error = await failed;
  assert.ok(isAbort(error), `${error.name}: ${error.message}`);
  assert.equal(lab.bodies.length, sent);
  lab.letGo();
  lab.want(12);
  const [before] = lab.verdicts().slice(-1);
  const count = lab.verdicts().length;
  const { text } = await ask({ history, text: "Go on.", isStreamed });
  assert.equal(text, "The audit is done.");
  assert.equal(lab.verdicts()[count].cacheRead, before.promptTokens);
  assert.deepEqual(lab.refused(), []);
  assert.ok(compactions(steps) >= 1);
}

/** The same while a summary is being written: none is left half, and the next request writes it. */
async function calledOffInSummary(isStreamed) {
  const { lab, steps, ask } = begin();
  const controller = new AbortController();
  lab.want(14);
  const held = lab.hold(isSummary);
  const failed = ask({ text: task, isStreamed, signal: controller.signal }).then(
    () => assert.fail("it was called off"),
    (error) => error,
  );
  await held;
  controller.abort();
  const error = await failed;
  assert.ok(isAbort(error), `${error.name}: ${error.message}`);
  assert.equal(compactions(steps), 0);
  assert.equal(lab.bodies.filter(isSummary).length, 1);
  lab.letGo();
  lab.want(14);
  const { text } = await ask({ text: task, isStreamed });
  assert.equal(text, "The audit is done.");
  assert.deepEqual(lab.refused(), []);
  assert.ok(compactions(steps) >= 1);
}

/** Whoever stops listening in the middle of an answer can go on with what came before it. */
async function stoppedListening() {
  const { lab, ask } = begin();
  lab.want(3);
  const { history } = await ask({ text: task, isStreamed: true });
  const controller = new AbortController();
  await ask({
    history,
    text: "Once more.",
    isStreamed: true,
    signal: controller.signal,
    onText: () => controller.abort(),
  }).catch((error) => assert.ok(isAbort(error), `${error.name}: ${error.message}`));
  const { text } = await ask({ history, text: "Something else.", isStreamed: true });
  assert.equal(text, "The audit is done.");
  assert.deepEqual(lab.refused(), []);
  assert.doesNotMatch(JSON.stringify(lab.bodies.at(-1)), /Once more/);
}

async function systemInTheMiddle(isStreamed) {
  const store = createMemoryStandIns();
  const { lab, steps, ask } = begin({ store });
  lab.want(3);
  const { history } = await ask({ text: task, isStreamed });
  const order = "From here on say quince where you mean pear.";
  // Only after what a person says may the system speak.
  const listened = [
    ...history,
    { role: "user", content: "Listen." },
    systemMessage(order),
    { role: "assistant", content: "I listen." },
  ];
  const before = lab.bodies.length;
  lab.want(12);
  const { history: done } = await ask({ history: listened, text: "Go on.", isStreamed });
  assert.ok(compactions(steps) >= 1);
  // Another adapter with the same store, as in another process, says it as this one would.
  const [last] = lab.verdicts().slice(-1);
  const again = createClient({
    lab,
    options: { settings, store, onStep: () => assert.fail("made fit twice") },
  });
  const sent = lab.verdicts().length;
  lab.want(1);
  await again({ history: done, text: "And now?", isStreamed });
  assert.equal(lab.verdicts()[sent].cacheRead, last.promptTokens);
  assert.deepEqual(lab.refused(), []);
  for (const { messages } of lab.bodies.slice(before)) {
    const texts = messages.flatMap(({ role, content }) =>
      typeof content === "string" ? [{ role, text: content }] : content.map(({ text }) => ({ role, text })),
    );
    // A summary may quote it; nobody else says it but the system, once.
    const said = texts.filter(({ text }) => text?.includes("quince") && text.length < 500);
    assert.deepEqual(said, [{ role: "system", text: order }]);
  }
}

const kind = process.argv[3];
const both = (name, run) => [
  ...(kind === "streamed" ? [] : [[`${name}`, () => run(false)]]),
  ...(kind === "whole" ? [] : [[`${name}, streamed`, () => run(true)]]),
];

const cases = [
  ...both("a loop of tools", toolLoop),
  ...both("a structured answer", structured),
  ...both("called off while an answer is on its way", calledOff),
  ...both("called off while a summary is being written", calledOffInSummary),
  ["called off in the middle of an answer", stoppedListening],
  ...both("what the system says in the middle", systemInTheMiddle),
  ...own,
];

for (const [name, run] of cases) {
  try {
    await run();
    console.log(JSON.stringify({ name }));
  } catch (error) {
    console.log(JSON.stringify({ name, error: String(error.stack) }));
  }
}

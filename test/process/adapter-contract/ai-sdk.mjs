/** Version 6, or the one in the folder that PALIMPSEST_AI_SDK_7 names. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";
import { palimpsestAiSdk, palimpsestPrepareStep } from "@palimpsest/core/ai-sdk";
import {
  createLab,
  isSummary,
  model as name,
  readSchema,
  settings,
  system,
  task,
  verdictSchema,
} from "./lab.mjs";

const folder = process.env.PALIMPSEST_AI_SDK_7;
const from = folder === undefined ? import.meta.url : pathToFileURL(`${folder}/package.json`).href;
const load = async (id) => import(pathToFileURL(createRequire(from).resolve(id)).href);
const { generateText, jsonSchema, Output, stepCountIs, streamText, tool, wrapLanguageModel } =
  await load("ai");
const { createAnthropic } = await load("@ai-sdk/anthropic");

const claude = (lab) =>
  createAnthropic({ apiKey: "any", baseURL: "http://sim.test/v1", fetch: lab.fetch })(name);
const wrapped = (lab, options) =>
  wrapLanguageModel({ model: claude(lab), middleware: palimpsestAiSdk(options) });

/** A call with the tool, until it is answered. */
const callWith = (lab, more) => ({
  system,
  maxOutputTokens: 1000,
  maxRetries: 0,
  stopWhen: stepCountIs(100),
  tools: { Read: tool({ inputSchema: jsonSchema(readSchema), execute: lab.read }) },
  ...more,
});

export function createClient({ lab, options }) {
  const model = wrapped(lab, options);
  return async ({ history = [], text, isStreamed, isStructured = false, signal, onText = () => {} }) => {
    const messages = [...history, { role: "user", content: text }];
    const call = callWith(lab, {
      model,
      messages,
      allowSystemInMessages: true,
      abortSignal: signal,
      ...(isStructured ? { output: Output.object({ schema: jsonSchema(verdictSchema) }) } : {}),
    });
    if (!isStreamed) {
      const result = await generateText(call);
      return answer(messages, result);
    }
    let failure;
    const result = streamText({ ...call, onError: ({ error }) => void (failure = error) });
    for await (const part of result.textStream) onText(part);
    if (failure !== undefined) throw failure;
    signal?.throwIfAborted();
    const [said, response, responseMessages, output] = await Promise.all([
      result.text,
      result.response,
      result.responseMessages,
      isStructured ? result.output : undefined,
    ]);
    return answer(messages, { text: said, response, responseMessages, output });
  };

  /** In version 7 the response is that of the last step. */
  function answer(messages, { text, response, responseMessages = response.messages, output }) {
    return { text, object: output, history: [...messages, ...responseMessages] };
  }
}

export const systemMessage = (content) => ({ role: "system", content });

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function prepareStep() {
  const lab = createLab();
  const steps = [];
  lab.want(14);
  const { text } = await generateText(
    callWith(lab, {
      model: claude(lab),
      prompt: task,
      prepareStep: palimpsestPrepareStep({ settings, onStep: (step) => steps.push(step) }),
    }),
  );
  assert.equal(text, "The audit is done.");
  assert.deepEqual(lab.refused(), []);
  assert.ok(steps.some(({ compacted }) => compacted?.writer === "streaming"));
}

async function picture() {
  const lab = createLab();
  const model = wrapped(lab, { settings });
  const given = (data, mediaType) => ({ type: "file", mediaType, data });
  const messages = [
    { role: "user", content: [{ type: "text", text: task }, given(`${PNG}\n`, "image/png")] },
  ];
  await generateText(callWith(lab, { model, messages }));
  assert.deepEqual(lab.refused(), []);
  // Its data is not quite base64: what goes out was made here, in the words of this version.
  const { source } = lab.bodies[0].messages[0].content.find(({ type }) => type === "image");
  assert.equal(source.media_type, "image/png");
  assert.equal(source.data, PNG);
}

/** What is part of the cache's key goes along with a summary, else it reads nothing of it. */
async function thinking() {
  const lab = createLab();
  lab.want(14);
  const more =
    folder === undefined
      ? { providerOptions: { anthropic: { thinking: { type: "adaptive" } } } }
      : { reasoning: "low" };
  await generateText(callWith(lab, { model: wrapped(lab, { settings }), prompt: task, ...more }));
  assert.deepEqual(lab.refused(), []);
  const kinds = new Set(
    lab.bodies.map(({ thinking: kind, output_config: config }) => JSON.stringify([kind, config])),
  );
  assert.equal(kinds.size, 1);
  assert.match([...kinds].join(), /adaptive/);
  assert.ok(lab.bodies.some(isSummary));
}

export const own = [
  ["prepareStep", prepareStep],
  ["a picture that has to be mended", picture],
  ["thinking, also in a summary", thinking],
];

/** The audit with the AI SDK's own loop: of version 6, or of the one in the folder that PALIMPSEST_AI_SDK_7 names. */
import { palimpsestAiSdk } from "@palimpsest/core/ai-sdk";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { model as name, onStep, prompt, settings, system, tools, url } from "./tools.mjs";

const folder = process.env.PALIMPSEST_AI_SDK_7;
const from = folder === undefined ? import.meta.url : pathToFileURL(`${folder}/package.json`).href;
const load = async (id) => import(pathToFileURL(createRequire(from).resolve(id)).href);
const { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } = await load("ai");
const { createAnthropic } = await load("@ai-sdk/anthropic");

await generateText({
  model: wrapLanguageModel({
    model: createAnthropic({ apiKey: "any", baseURL: `${url}/v1` })(name),
    middleware: palimpsestAiSdk({ settings, onStep }),
  }),
  system,
  prompt,
  maxOutputTokens: 8192,
  stopWhen: stepCountIs(1000),
  tools: Object.fromEntries(
    tools.map(({ name: id, description, schema, run }) => [
      id,
      tool({ description, inputSchema: jsonSchema(schema), execute: run }),
    ]),
  ),
});

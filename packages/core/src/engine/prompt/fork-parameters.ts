import { isFields, type Fields } from "../../messages/fields.js";
import type { CallParameters } from "./request-builder.js";

/** What a call beside the conversation is to answer with: words, or calls of tools. */
export type ForkAnswer = "text" | "calls";

export interface ForkParameters {
  readonly parameters: CallParameters;
  /** False where something had to be left out that is part of the cache key: messages cannot be read then. */
  readonly isKeySame: boolean;
}

/**
 * The further fields of a body that go along with a call beside the conversation: who asks, where it is computed,
 * and what the prompt is made of. Whatever else a caller sets is meant for its own answers: a format, stop
 * sequences, sampling, a budget for the whole task.
 */
const goesAlong: ReadonlySet<string> = new Set([
  "metadata",
  "service_tier",
  "inference_geo",
  "user_profile_id",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "speed",
  "mcp_servers",
  "container",
]);

/** Those of them that say who asks and where it is computed: also for a call that shares nothing else. */
const accountNames: ReadonlySet<string> = new Set([
  "metadata",
  "service_tier",
  "inference_geo",
  "user_profile_id",
]);

export const accountFields = (body: Fields): Fields =>
  Object.fromEntries(Object.entries(body).filter(([name]) => accountNames.has(name)));

/** The choices that leave the model free to answer so. */
const freeChoices: Readonly<Record<ForkAnswer, readonly unknown[]>> = {
  text: ["auto", "none"],
  calls: ["auto"],
};

/** The caller's parameters, as far as they do not decide what an answer looks like. */
export function forkParameters(parameters: CallParameters, answer: ForkAnswer): ForkParameters {
  const { tool_choice: choice, extraBody = {}, ...rest } = parameters;
  const isFree = choice === undefined || freeChoices[answer].includes(choice["type"]);
  const fields = forkFields(extraBody);
  return {
    parameters: {
      ...rest,
      ...(choice === undefined || !isFree ? {} : { tool_choice: choice }),
      ...(Object.keys(fields).length === 0 ? {} : { extraBody: fields }),
    },
    isKeySame: isFree && formatOf(extraBody) === undefined,
  };
}

/** Of the further fields of a body, those that go along; of its `output_config` the effort alone. */
export function forkFields(body: Fields): Fields {
  const { output_config: config } = body;
  const effort = isFields(config) ? config["effort"] : undefined;
  return {
    ...Object.fromEntries(Object.entries(body).filter(([name]) => goesAlong.has(name))),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}

/** The format that answers are to have; undefined for plain words. */
const formatOf = ({ output_config: config, output_format: format }: Fields): unknown =>
  (isFields(config) ? config["format"] : undefined) ?? format ?? undefined;

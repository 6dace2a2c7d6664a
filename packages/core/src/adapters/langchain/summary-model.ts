import { asText, isFields, type Fields } from "../../messages/fields.js";
import { forkFields } from "../../engine/prompt/fork-parameters.js";
import type { AskedModel } from "./langchain-types.js";

/**
 * The agent's model made once more, for a summary: with its own fields, but without what says how its answers look
 * (stop sequences, sampling, a format), with room for the summary, and without retries of its own, which would come
 * on top of ours. It streams: clients refuse to wait for long answers otherwise. Undefined for a class that cannot be
 * made so.
 */
export function summaryModel(model: Fields, maxTokens: number): AskedModel | undefined {
  const { lc_kwargs: fields, outputConfig, constructor } = model;
  if (!isFields(fields) || typeof constructor !== "function") return undefined;
  const Made = constructor as unknown as new (fields: Fields) => AskedModel;
  try {
    const made = new Made({
      ...fields,
      ...settings,
      ...kwargsIn(fields, "invocationKwargs"),
      ...kwargsIn(fields, "modelKwargs"),
      ...(isFields(outputConfig) ? { outputConfig: { effort: outputConfig["effort"] } } : {}),
      maxTokens,
    });
    const isSame = nameOf(made) === nameOf(model) && made["maxTokens"] === maxTokens;
    return isSame && typeof made.invoke === "function" ? made : undefined;
  } catch {
    return undefined;
  }
}

const settings: Fields = {
  maxRetries: 0,
  streaming: true,
  ...Object.fromEntries(
    "stop stopSequences temperature topP topK seed frequencyPenalty presencePenalty logitBias n"
      .split(" ")
      .map((name) => [name, undefined]),
  ),
};

/** Fields of the body that a model was given as they are. */
const kwargsIn = (fields: Fields, name: string): Fields =>
  isFields(fields[name]) ? { [name]: forkFields(fields[name]) } : {};

export const nameOf = (model: Fields): string => asText(model["model"]) || asText(model["modelName"]);

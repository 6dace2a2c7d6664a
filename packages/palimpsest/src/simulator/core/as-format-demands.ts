import type { ModelRequest } from "@palimpsest/core";
import { isFields, type Fields } from "../fields.js";
import { fillValue } from "../fill-schema.js";
import { fitsSchema } from "../fits-schema.js";
import type { Answer } from "../player.js";
import { offers } from "./offers.js";

/**
 * What a request for structured output makes of an answer, whoever plays the model: its text is JSON that fits the
 * schema, and beside a call there is no text. A refusal stays what it is.
 */
export function asFormatDemands(answer: Answer, request: ModelRequest): Answer["content"] {
  const schema = schemaOf(request);
  const { content, stopReason } = answer;
  if (schema === undefined || stopReason === "refusal") return content;
  const others = content.filter(({ type }) => type !== "text");
  const hasCall = others.some((block) => block.type === "tool_use" && offers(request, block.name));
  if (others.length < content.length && !hasCall) {
    const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    return [...others, { type: "text", text: asJson(text, schema) }];
  }
  return others;
}

function schemaOf(request: ModelRequest): Fields | undefined {
  const config = request["output_config"];
  const format = (isFields(config) ? config["format"] : undefined) ?? request["output_format"];
  const schema = isFields(format) && format["type"] === "json_schema" ? format["schema"] : undefined;
  return isFields(schema) ? schema : undefined;
}

/** What is JSON of that kind already stays to the letter; any other text goes into the first field that takes one. */
function asJson(text: string, schema: Fields): string {
  let given: unknown;
  try {
    given = JSON.parse(text);
    if (fitsSchema(given, schema)) return text;
  } catch {
    // Plain words.
  }
  return JSON.stringify(fillValue(schema, isFields(given) ? given : { ...firstText(schema, text) }));
}

function firstText({ properties }: Fields, text: string): Fields {
  const name = Object.entries(isFields(properties) ? properties : {}).find(
    ([, property]) => isFields(property) && property["type"] === "string" && property["enum"] === undefined,
  )?.[0];
  return name === undefined ? {} : { [name]: text };
}

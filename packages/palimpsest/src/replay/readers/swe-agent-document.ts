import { asFieldsList, asText, isFields, type Fields } from "./recording.js";

/** The part of a document that holds a run: itself, or the last of its attempts. Undefined where none does. */
export function trajectoryOf(document: Fields): Fields | undefined {
  if (hasSteps(document) || (hasHistory(document) && isFields(document["info"]))) return document;
  return asFieldsList(document["attempts"]).findLast((attempt) => hasSteps(attempt) || hasHistory(attempt));
}

const hasSteps = ({ trajectory }: Fields): boolean =>
  Array.isArray(trajectory) &&
  trajectory.every((step) => isFields(step) && ("action" in step || "observation" in step));

const hasHistory = ({ history }: Fields): boolean =>
  Array.isArray(history) && history.length > 0 && history.every((item) => isFields(item) && "role" in item);

/** The messages of a run: its history; from its steps where it has none. */
export function trajectoryItems(run: Fields): readonly Fields[] {
  return hasHistory(run) ? asFieldsList(run["history"]) : stepItems(asFieldsList(run["trajectory"]));
}

/** What the first step was asked, then each step's answer and what came back. */
function stepItems(steps: readonly Fields[]): readonly Fields[] {
  const [first] = steps;
  const asked = asFieldsList(first?.["query"] ?? first?.["messages"]).filter((item) => "role" in item);
  return [
    ...asked,
    ...steps.flatMap(({ response, thought, action, observation, tool_calls: calls, tool_call_ids: ids }) => [
      { role: "assistant", content: response, thought, action, tool_calls: calls },
      ...(typeof observation === "string"
        ? [{ role: "tool", content: observation, tool_call_ids: ids ?? callIds(calls) }]
        : []),
    ]),
  ];
}

const callIds = (calls: unknown): readonly unknown[] => asFieldsList(calls).map((call) => call["id"]);

/** The name of the model without its provider, as far as the run's configuration tells it; else empty. */
export function trajectoryModel(document: Fields): string {
  const config = fieldsFrom(document["replay_config"]);
  const agent = fieldsFrom(config["agent"]);
  const name = asText(fieldsFrom(agent["model"])["name"]) || asText(fieldsFrom(config["model"])["name"]);
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Configurations stand there as objects, or as JSON in a text. */
function fieldsFrom(value: unknown): Fields {
  if (isFields(value)) return value;
  if (typeof value !== "string") return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isFields(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

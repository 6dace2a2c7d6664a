import type { AgentEvent } from "../../agent/base/agent-event.js";

/** As much of a call's input as fits on a line. */
const LONGEST_INPUT = 200;

/** What happens on the way to an answer, for people who want to watch; undefined for what is told anyway, or is no news. */
export function verboseSentence(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case "tool-start":
      return `${event.name} ${shortened(JSON.stringify(event.input) ?? "")}`;
    case "tool-end": {
      const how = event.isDenied ? "was denied" : event.isError ? "failed" : "is done";
      return `${event.name} ${how} after ${event.milliseconds} ms`;
    }
    case "retry":
      return `a request failed (${event.failure.kind}) and is sent again in ${event.waitMs} ms`;
    default:
      return undefined;
  }
}

const shortened = (text: string): string =>
  text.length > LONGEST_INPUT ? `${text.slice(0, LONGEST_INPUT)}…` : text;

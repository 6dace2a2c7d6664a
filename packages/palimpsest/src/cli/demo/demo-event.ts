import type { AssistantMessage, EngineStep } from "@palimpsest/core";
import type { Mended, WriterName } from "@palimpsest/core/compaction";
import { asFields } from "@palimpsest/core/engine";
import type { AgentEvent } from "../../agent/base/agent-event.js";
import type { Session } from "../../agent/session/session.js";
import type { MoneyFigures } from "./demo-money.js";

/** What happens in the demo, for whoever shows it. Texts of the agent and of files are hostile. */
export type DemoEvent =
  /** The agent is there. `now` is the simulated time. */
  | { readonly kind: "opened"; readonly session: Session; readonly now: () => number }
  /** All that the agent tells, as it does; what follows are the parts of it that lines show. */
  | { readonly kind: "agent"; readonly event: AgentEvent }
  /** What the person said is answered. */
  | { readonly kind: "answered" }
  | { readonly kind: "person"; readonly text: string }
  | { readonly kind: "pause"; readonly minutes: number }
  /** What the agent does next, in one line. */
  | { readonly kind: "action"; readonly text: string }
  | { readonly kind: "step"; readonly step: DemoStep }
  | { readonly kind: "meter"; readonly meter: DemoMeter }
  | { readonly kind: "trouble"; readonly text: string };

/** Something that the engine did to the context. */
export interface DemoStep {
  readonly tier: EngineStep["tier"];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly text: string;
  /** How many responses there were before. */
  readonly afterResponses: number;
  readonly writer?: WriterName;
  readonly mended?: Mended;
  /** What came back, in words: `2 files`, `plan`. */
  readonly restored?: readonly string[];
}

export interface DemoMeter extends MoneyFigures {
  /** Tokens of the context, as the last response reported them. */
  readonly tokens: number;
  readonly window: number;
  readonly responses: number;
  /** Dollars of the policy that summarises everything, on the same rounds. */
  readonly summariseAll: number;
}

const SUBJECTS = ["file_path", "command", "pattern", "skill", "description", "id"] as const;

/** The calls of a response in one line, those of one tool together; its text where it calls nothing. */
export function describeCalls({ message: { content } }: AssistantMessage): string {
  const groups = new Map<string, string[]>();
  for (const block of content) {
    if (block.type !== "tool_use") continue;
    const subjects = groups.get(block.name) ?? [];
    subjects.push(subjectOf(asFields(block.input)));
    groups.set(block.name, subjects);
  }
  if (groups.size === 0) {
    return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
  }
  return [...groups].map(([name, subjects]) => describeGroup(name, subjects)).join(" · ");
}

function describeGroup(name: string, subjects: readonly string[]): string {
  const [first = ""] = subjects;
  const times = subjects.length === 1 ? "" : ` ×${subjects.length}`;
  return `${name}${times}${first === "" ? "" : ` ${first}`}${times === "" ? "" : " …"}`;
}

/** What a call is about; of a search, where it looks too. */
function subjectOf(input: Readonly<Record<string, unknown>>): string {
  const subject = SUBJECTS.map((key) => input[key]).find((value) => typeof value === "string");
  const place = input["path"];
  const parts = [subject ?? "", ...(typeof place === "string" ? ["in", place] : [])];
  return parts.map((part) => shortened(part.trim())).join(" ");
}

/** A path below a package without what all of them have in common. */
const shortened = (text: string): string => text.replace(/^packages\/(\w+)\/src\//, "$1/");

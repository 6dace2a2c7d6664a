import { isFields } from "../../messages/fields.js";
import type { BreakReason } from "../events/break-reason.js";
import { describeBreak } from "./describe-break.js";
import type { CacheBreak } from "../events/cache-break.js";
import { safeName } from "./describe-reason.js";
import { asSections, byName } from "./head-changes.js";
import { blocksOf } from "./message-list.js";
import { sameContent, withoutMarkers } from "./same-content.js";
import type { SentRequest } from "./sent-request.js";
import { clipToBytes, findTextDifference } from "./text-difference.js";

interface DiffPart {
  readonly title: string;
  readonly before: string;
  readonly now: string;
}

/** The last answered request of a source and the one that read less than it left, and how long a text may be. */
export interface ComparedRequests {
  readonly before: SentRequest;
  readonly now: SentRequest;
  readonly maxBytes: number;
}

const MOST_PER_SIDE = 4000;
const MOST_PARTS = 20;

/**
 * What a break is about, and the text that changed: for each system section, tool or message an excerpt of
 * both sides from the first difference on. It holds parts of the prompt, so it is as private as the
 * conversation. At most `maxBytes` long.
 */
export function renderDiff(found: CacheBreak, { before, now, maxBytes }: ComparedRequests): string {
  const texts = [describeBreak(found), `at ${isoTime(found.at)}`, ""];
  let length = 0;
  let parts = 0;
  for (const reason of found.reasons) {
    for (const part of partsOf(reason, before, now)) {
      if (length > maxBytes || parts >= MOST_PARTS) break;
      const text = renderPart(part);
      length += text.length;
      parts += 1;
      texts.push(text);
    }
  }
  return clipToBytes(`${texts.join("\n")}\n`, maxBytes);
}

const isoTime = (at: number): string =>
  Number.isFinite(at) && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : "an unknown time";

function renderPart({ title, before, now }: DiffPart): string {
  const difference = findTextDifference(before, now, MOST_PER_SIDE);
  const signed = (sign: string, text: string): string =>
    text
      .split("\n")
      .map((line) => `${sign} ${line}`)
      .join("\n");
  return [
    `## ${title}`,
    `${before.length} → ${now.length} characters, the first difference at ${difference.at}`,
    ...(before === "" ? [] : [signed("-", difference.before)]),
    ...(now === "" ? [] : [signed("+", difference.now)]),
    "",
  ].join("\n");
}

/** The parts that a reason is about; each is made when it is asked for. */
function* partsOf(reason: BreakReason, before: SentRequest, now: SentRequest): Generator<DiffPart> {
  switch (reason.kind) {
    case "system-changed":
      yield* systemParts(reason, before, now);
      break;
    case "tools-changed": {
      const old = byName(before.tools);
      const present = byName(now.tools);
      for (const name of [...reason.changed, ...reason.removed, ...reason.added]) {
        yield {
          title: `tool ${safeName(name)}`,
          before: asText(old.get(name)),
          now: asText(present.get(name)),
        };
      }
      break;
    }
    case "messages-changed":
      yield messagePart(reason.position, before, now);
      break;
    case "thinking-changed":
      yield { title: "thinking", before: asText(before.thinking), now: asText(now.thinking) };
      break;
    case "body-changed":
      for (const name of reason.fields) {
        yield {
          title: safeName(name),
          before: asText(before.body.get(name)),
          now: asText(now.body.get(name)),
        };
      }
      break;
    default:
      break;
  }
}

function* systemParts(
  { sections }: Extract<BreakReason, { kind: "system-changed" }>,
  before: SentRequest,
  now: SentRequest,
): Generator<DiffPart> {
  const textIn = (sent: SentRequest, name: string): string =>
    [...(sent.sections ?? []), ...asSections(sent.system)].find((section) => section.name === name)?.text ??
    "";
  for (const { name, change } of sections) {
    if (change === "moved") continue;
    yield {
      title: `system prompt, section ${safeName(name)}`,
      before: textIn(before, name),
      now: textIn(now, name),
    };
  }
}

/** The first block of the message that is another; the whole message where all it has are the same. */
function messagePart(position: number, before: SentRequest, now: SentRequest): DiffPart {
  const old = blocksOf(before.messages[position]);
  const present = blocksOf(now.messages[position]);
  const block = old.findIndex((value, index) => !sameContent(value, present[index]));
  const at = block < 0 ? Math.min(old.length, present.length) : block;
  const role = roleOf(before.messages[position]);
  const roleNow = roleOf(now.messages[position]);
  return {
    title: `message ${position} (${role === roleNow ? role : `${role} → ${roleNow}`}), block ${at}`,
    before: asText(old[at]),
    now: asText(present[at]),
  };
}

const roleOf = (message: unknown): string =>
  isFields(message) && typeof message["role"] === "string" ? safeName(message["role"]) : "none";

function asText(value: unknown): string {
  if (value === undefined) return "";
  if (isFields(value) && value["type"] === "text" && typeof value["text"] === "string") return value["text"];
  try {
    return JSON.stringify(withoutMarkers(value), null, 1) ?? "";
  } catch {
    return "(too deep to be shown)";
  }
}

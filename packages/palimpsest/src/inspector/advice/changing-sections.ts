import { promptTokens } from "../../replay/measures/recorded-bill.js";
import type { AdvisedRequest, HeadPart } from "./advised-request.js";
import type { Finding } from "./finding.js";
import { heldAfter } from "./lifetime.js";
import { pricesOf, spanCost } from "./span-cost.js";

const FIVE_MINUTES = 300_000;
const AN_HOUR = 3_600_000;

interface Change {
  readonly owners: readonly string[];
  /** Ids of the first part that changed, before and after: what an example is made of. */
  readonly sample: { readonly before: string; readonly now: string } | null;
}

/**
 * What stood in the cache and was not read because something before it was another one than in the request before: tools,
 * the system prompt, a setting, or a message that had been sent already. What time alone would have lost does not count.
 * Findings are by what changed together: all of it has to stay the same for the cache to hold.
 */
export function findChangingSections(
  requests: readonly AdvisedRequest[],
  exampleOf: (sample: { readonly before: string; readonly now: string }) => {
    readonly before: string;
    readonly now: string;
  } | null,
): readonly Finding[] {
  const lanes = new Map<string, AdvisedRequest>();
  const found = new Map<
    string,
    { owners: readonly string[]; changes: number; lost: number; dollars: number; sample: Change["sample"] }
  >();
  for (const request of requests) {
    const before = lanes.get(request.lane);
    lanes.set(request.lane, request);
    if (before === undefined || request.isFresh || before.model !== request.model) continue;
    const prices = pricesOf(request);
    const { cacheRead } = request.usage;
    const lost = Math.min(heldAfter(before), promptTokens(request.usage)) - cacheRead;
    if (prices === undefined || lost <= 0 || isOver(before, request)) continue;
    const change = changeBetween(before, request);
    if (change === undefined) continue;
    const key = change.owners.join(", ");
    const sum = found.get(key) ?? {
      owners: change.owners,
      changes: 0,
      lost: 0,
      dollars: 0,
      sample: change.sample,
    };
    sum.changes += 1;
    sum.lost += lost;
    sum.dollars += spanCost(request, cacheRead, lost) - (lost * prices.cacheRead) / 1e6;
    found.set(key, sum);
  }
  return [...found].map(([key, { owners, changes, lost, dollars, sample }]) => ({
    key: `changing ${key}`,
    dollars,
    facts: {
      kind: "changing",
      owners,
      changes,
      lostTokens: lost,
      example: sample === null ? null : exampleOf(sample),
    },
  }));
}

/** More time had passed than the entries had. */
function isOver(before: AdvisedRequest, request: AdvisedRequest): boolean {
  const lifetime = before.usage.cacheWrite1h > 0 ? AN_HOUR : FIVE_MINUTES;
  return request.startedAt - before.startedAt > lifetime;
}

function changeBetween(
  { prompt: before }: AdvisedRequest,
  { prompt: now }: AdvisedRequest,
): Change | undefined {
  if (before === undefined || now === undefined) return undefined;
  const tools = toolsChange(partsOf(before.parts, "tool"), partsOf(now.parts, "tool"));
  const head = [tools, ...changedParts(before.parts, now.parts)].filter((part) => part !== undefined);
  if (head.length > 0) {
    const owners = [...new Set(head.map(({ owner }) => owner))];
    return { owners, sample: head.find(({ sample }) => sample !== null)?.sample ?? null };
  }
  return messageChange(before.messages(), now.messages());
}

interface ChangedPart {
  readonly owner: string;
  readonly sample: Change["sample"];
}

const partsOf = (parts: readonly HeadPart[], kind: HeadPart["kind"]): readonly HeadPart[] =>
  parts.filter((part) => part.kind === kind);

/** What came, went or moved; tools that stay and say something else are changed parts. */
function toolsChange(before: readonly HeadPart[], now: readonly HeadPart[]): ChangedPart | undefined {
  const names = (tools: readonly HeadPart[]): readonly string[] => tools.map(({ name }) => name);
  const [old, fresh] = [names(before), names(now)];
  if (old.join("\n") === fresh.join("\n")) return undefined;
  const isMoved = old.toSorted().join("\n") === fresh.toSorted().join("\n");
  return { owner: isMoved ? "the order of the tools" : "the list of tools", sample: null };
}

function changedParts(before: readonly HeadPart[], now: readonly HeadPart[]): readonly ChangedPart[] {
  const place = ({ kind, name }: HeadPart): string => `${kind} ${name}`;
  const old = new Map(before.map((part) => [place(part), part]));
  const fresh = new Map(now.map((part) => [place(part), part]));
  const places = new Set([...old.keys(), ...fresh.keys()]);
  return [...places].flatMap((at): readonly ChangedPart[] => {
    const [one, other] = [old.get(at), fresh.get(at)];
    const part = other ?? one;
    if (part === undefined || one?.id === other?.id) return [];
    if (part.kind === "tool" && (one === undefined || other === undefined)) return [];
    const sample = one === undefined || other === undefined ? null : { before: one.id, now: other.id };
    return [{ owner: ownerOf(part), sample }];
  });
}

const ownerOf = ({ kind, name }: HeadPart): string =>
  kind === "system" ? `block ${name} of the system prompt` : `the ${kind} ${name}`;

/**
 * A message that had been sent and is now another one, in a conversation that goes on after it. Nothing where the rest of
 * it is another one too: then somebody went back, or it was compacted.
 */
function messageChange(before: readonly string[], now: readonly string[]): Change | undefined {
  const at = before.findIndex((id, index) => now[index] !== id);
  if (at < 0 || now.length <= before.length) return undefined;
  const isKept = before.slice(at + 1).every((id, index) => now[at + 1 + index] === id);
  if (!isKept) return undefined;
  const owner =
    at === before.length - 1
      ? "the newest message, which is sent again without it"
      : at === 0
        ? "the first message"
        : "an earlier message";
  return { owners: [owner], sample: null };
}

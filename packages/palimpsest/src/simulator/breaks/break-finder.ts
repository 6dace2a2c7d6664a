import { isFields } from "../fields.js";
import type { JudgedCall, MissReason, Verdict } from "../outcome.js";
import { firstDifference, type ComparedPrompt, type Difference } from "./first-difference.js";
import { answerKey, answersIn, partsOf, type PromptPart } from "./prompt-parts.js";
import { settingsOf } from "./prompt-settings.js";
import { volatileHead } from "./volatile-head.js";

/** A prefix that an earlier request left in the cache, and that a later one, which goes on with it, did not read. */
export interface CacheBreak {
  /** The number that the finder was given for it; else they are counted from 1. */
  readonly request: number;
  /** The one that it departs from. */
  readonly since: number;
  readonly model: string;
  readonly reason: BreakReason;
  /** What differs, where something does. */
  readonly difference: Difference | null;
  /** Tokens that were cached and not read. */
  readonly tokens: number;
}

export type BreakReason =
  | "model-changed"
  | "tools-changed"
  | "system-changed"
  | "settings-changed"
  | "messages-changed"
  /** Nothing differs; its time was over. */
  | "expired"
  /** Nothing differs; it lies more than 20 blocks before the next marker. */
  | "outside-lookback"
  /** Nothing differs; the response that writes it had not begun. */
  | "not-readable-yet"
  /** Nothing differs; no marker of the request reaches it. */
  | "no-marker"
  /** Nothing differs in what was sent; the API's own edits changed it. */
  | "edited-by-the-api";

export interface BreakFinder {
  /** Tells it of one call, in their order. */
  see(judged: JudgedCall, request?: number): CacheBreak | undefined;
  /** All that were found, the oldest first. */
  readonly breaks: readonly CacheBreak[];
}

interface Seen extends ComparedPrompt {
  readonly request: number;
  readonly workspace: string;
  readonly verdict: Verdict;
}

const MOST_SEEN = 512;
const MOST_COMPARED = 8;

/**
 * Finds breaks in what a server received, without knowing who sent it. A request goes on with the one whose answer it
 * holds; one that holds none begins a conversation, and breaks only where its tools and system prompt are those of an
 * earlier one but for a few characters that change with time.
 */
export function createBreakFinder(): BreakFinder {
  const breaks: CacheBreak[] = [];
  const byAnswer = new Map<string, Seen[]>();
  let seen: Seen[] = [];
  let calls = 0;

  /** The earlier request whose answer stands last in this one; where several gave such an answer, the most alike. */
  const predecessorOf = (answers: readonly string[], parts: readonly PromptPart[], workspace: string) => {
    for (const key of answers) {
      const gave = (byAnswer.get(key) ?? []).filter((record) => record.workspace === workspace);
      const [best] = gave
        .slice(-MOST_COMPARED)
        .toReversed()
        .map((record) => ({ record, alike: alikeParts(record.parts, parts) }))
        .toSorted((a, b) => b.alike - a.alike);
      if (best !== undefined) return best.record;
    }
    return undefined;
  };

  const remember = (record: Seen, answer: string | undefined): void => {
    seen.push(record);
    if (answer !== undefined) byAnswer.set(answer, [...(byAnswer.get(answer) ?? []), record]);
    if (seen.length <= 2 * MOST_SEEN) return;
    seen = seen.slice(-MOST_SEEN);
    const kept = new Set(seen);
    for (const [key, records] of byAnswer) {
      const left = records.filter((item) => kept.has(item));
      if (left.length === 0) byAnswer.delete(key);
      else byAnswer.set(key, left);
    }
  };

  return {
    breaks,
    see({ call, outcome }, request) {
      if (call.endpoint !== "messages") return undefined;
      calls += 1;
      const { body, workspace, betas } = call;
      if (outcome.kind !== "message" || !isFields(body)) return undefined;
      const { verdict } = outcome;
      const fresh = partsOf(body);
      const before = predecessorOf(answersIn(body), fresh, workspace);
      const now: Seen = {
        request: request ?? calls,
        workspace,
        verdict,
        parts: shared(before?.parts ?? [], fresh),
        settings: settingsOf(body, betas),
      };
      const found =
        before === undefined
          ? breakOfHead(
              seen.filter((record) => record.workspace === workspace),
              now,
            )
          : breakSince(before, now);
      if (found !== undefined) breaks.push(found);
      remember(now, answerKey(outcome.message.content));
      return found;
    },
  };
}

/** The parts, those that are as before being the same objects: a conversation costs what is new in it. */
const shared = (before: readonly PromptPart[], now: readonly PromptPart[]): readonly PromptPart[] =>
  now.map((part, at) => {
    const known = before[at];
    return known?.text === part.text && known.kind === part.kind && known.path === part.path ? known : part;
  });

function alikeParts(one: readonly PromptPart[], other: readonly PromptPart[]): number {
  const at = one.findIndex((part, index) => part.text !== other[index]?.text);
  return at < 0 ? one.length : at;
}

function breakSince(before: Seen, now: Seen): CacheBreak | undefined {
  const [cached] = before.verdict.cached;
  const tokens = (cached?.tokens ?? 0) - (now.verdict.hit?.tokens ?? 0);
  if (cached === undefined || tokens <= 0) return undefined;
  const difference = firstDifference(before, now, cached.path);
  return told(before, now, {
    difference: difference ?? null,
    reason: difference === undefined ? reasonWithout(now.verdict) : `${difference.kind}-changed`,
    tokens,
  });
}

/** A conversation that begins: what of its head was cached, and lost to a few characters. */
function breakOfHead(earlier: readonly Seen[], now: Seen): CacheBreak | undefined {
  if ((now.verdict.hit?.tokens ?? 0) > 0) return undefined;
  const before = volatileHead(earlier, now);
  const cached = before?.verdict.cached.find(({ path }) => !path.startsWith("messages."));
  if (before === undefined || cached === undefined) return undefined;
  const difference = firstDifference(before, now, cached.path);
  if (difference === undefined) return undefined;
  return told(before, now, { difference, reason: `${difference.kind}-changed`, tokens: cached.tokens });
}

const told = (
  before: Seen,
  now: Seen,
  rest: Pick<CacheBreak, "difference" | "reason" | "tokens">,
): CacheBreak => ({ request: now.request, since: before.request, model: now.verdict.model, ...rest });

const plain: ReadonlySet<MissReason> = new Set(["expired", "outside-lookback", "not-readable-yet"]);

function reasonWithout({ misses }: Verdict): BreakReason {
  const reasons = misses.map(({ reason }) => reason);
  const known = reasons.find((reason) => plain.has(reason));
  if (known !== undefined) return known as BreakReason;
  return reasons.some((reason) => reason.endsWith("-changed")) ? "edited-by-the-api" : "no-marker";
}

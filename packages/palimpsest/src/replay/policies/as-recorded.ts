import { findModel, type Message, type RequestMessage } from "@palimpsest/core";
import { CLEARED_RESULT_TEXT } from "@palimpsest/core/engine";
import { BillComparison, billedTokens } from "../measures/recorded-bill.js";
import type { RecordedCompactionOfRound, RecordedResponse, RecordedRound } from "../rounds/recorded-round.js";
import type { Policy, PolicyEdit } from "./policy.js";
import { LossyRequests } from "./lossy-request.js";
import { PromptList } from "./prompt-list.js";
import { createRecordedCache, type FoundInCache } from "./recorded-cache.js";
import { withoutResults } from "./without-results.js";

/** Whatever window it was recorded in, everything fitted. */
const RECORDED_WINDOW = 10_000_000;

/**
 * What the recording itself did: its compactions are made where they were made, with the summaries that were
 * written, its results cleared where they were cleared, and entries live as long as its usage says. The calls for its summaries are in no recording, so they are
 * not made: its bill can be held against the recorded usage.
 */
export function createAsRecordedPolicy(): Policy {
  return {
    name: "as-recorded",
    description: "the recording's own compactions, clearings and lifetimes",
    ttls: ["auto"],
    window: RECORDED_WINDOW,
    start(host) {
      const list = new PromptList(host);
      const comparison = new BillComparison(host.model);
      const requests = new LossyRequests();
      const foundBy = createRecordedCache();
      let next: RecordedRound | undefined;
      /** Made once: what is read again comes in within the same round. */
      let due: RecordedCompactionOfRound | undefined;
      let edits: readonly PolicyEdit[] = [];
      /** Of what was read again: the recording knows nothing of it. */
      const regained = new Set<string>();
      let isBegun = false;
      const clear = (ids: ReadonlySet<string>): void => {
        if (ids.size === 0) return;
        const note = CLEARED_RESULT_TEXT;
        edits = [
          ...edits,
          list.replace(
            list.messages.map((message) => withoutResults(message, { ids, note })),
            "cleared",
          ),
        ];
        requests.forgetMessages();
      };
      return {
        recorded(round) {
          next = round;
          due = round.compacted;
          isBegun = false;
        },
        async append(messages) {
          edits = [];
          const said = list.messages.at(-1);
          if (isBegun) for (const { uuid } of said ? [said, ...messages] : messages) regained.add(uuid);
          const isNew = !isBegun;
          isBegun = true;
          const compacted = due;
          due = undefined;
          const cleared = new Set(isNew ? next?.cleared : []);
          list.append(messages.slice(0, compacted?.after));
          if (compacted === undefined) return clear(cleared);
          const isSummary = (message: Message): boolean =>
            message.type === "user" && message.isCompactSummary === true;
          const summaries = compacted.messages.filter(isSummary);
          const others = compacted.messages.filter((message) => !isSummary(message));
          edits = [
            list.replace([...summaries, ...keptOf(list.messages, compacted, regained), ...others], "full"),
          ];
          requests.forgetMessages();
          list.append(messages.slice(compacted.after));
          clear(cleared);
        },
        async prepare() {
          if (next !== undefined) list.ttl = lifetimeOf(next.response) ?? list.ttl;
          const foundUpTo = next === undefined ? undefined : lose(list.wire, requests, foundBy(next));
          return { kind: "request", call: requests.apply(list.request(), foundUpTo), edits };
        },
        async answered(response) {
          list.answered(response);
          if (next !== undefined) comparison.add(next.response, response.usage, next.compacted !== undefined);
          return [];
        },
        bill: () => comparison.bill,
        refused: async () => ({ next: "end", edits: [] }),
      };
    },
  };
}

/** Loses of the cache what the recording lost. Gives the place of the last message that is still found, if any is. */
function lose(
  messages: readonly RequestMessage[],
  requests: LossyRequests,
  found: FoundInCache,
): number | undefined {
  if (found.kind === "nothing") requests.loseAll();
  if (found.kind === "tools") requests.loseSystem();
  if (found.kind === "head") requests.loseMessages();
  if (found.kind !== "part") return undefined;
  const { written } = requests;
  const last = written.at(-1) ?? 0;
  let sum = 0;
  const upTo = messages.slice(0, last + 1).map(({ content }) => (sum += JSON.stringify(content).length));
  const wanted = (upTo[0] ?? 0) + (sum - (upTo[0] ?? 0)) * found.share;
  const away = (place: number): number => Math.abs((upTo[place] ?? 0) - wanted);
  const nearest = written.toSorted((a, b) => away(a) - away(b))[0];
  if (nearest === undefined) requests.loseMessages();
  if (nearest === undefined || nearest === last) return undefined;
  requests.loseAfter(nearest);
  return nearest;
}

/**
 * The end of the list, counted in responses, and in messages before the first of them. What was read again counts as
 * neither; it stays where it stands between them.
 */
function keptOf(
  messages: readonly Message[],
  { keptResponses, keptMessages }: RecordedCompactionOfRound,
  regained: ReadonlySet<string>,
): readonly Message[] {
  let from = messages.length;
  const back = (count: number, counts: (message: Message) => boolean): void => {
    for (let left = count; from > 0 && left > 0;) {
      from -= 1;
      const message = messages[from];
      if (message !== undefined && !regained.has(message.uuid) && counts(message)) left -= 1;
    }
  };
  back(keptResponses, ({ type }) => type === "assistant");
  back(keptMessages, () => true);
  return messages.slice(from);
}

/**
 * The lifetime that a response's usage tells of; undefined where it wrote nothing, or does not say. Other vendors'
 * caches hold entries for up to an hour.
 */
function lifetimeOf({ model, usage }: RecordedResponse): "5m" | "1h" | undefined {
  if (findModel(model) === undefined) return "1h";
  const { cacheWrite5m, cacheWrite1h } =
    usage === undefined ? { cacheWrite5m: 0, cacheWrite1h: 0 } : billedTokens(usage);
  if (cacheWrite1h > 0) return "1h";
  return cacheWrite5m > 0 ? "5m" : undefined;
}

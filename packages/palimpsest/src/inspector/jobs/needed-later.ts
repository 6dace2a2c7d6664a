import { playConversation } from "../../replay/play/play-conversation.js";
import { parsePolicies } from "../../replay/policies/parse-policies.js";
import type { ForgottenSource } from "../../replay/results/policy-result.js";
import { openConversation } from "../../replay/rounds/open-conversation.js";
import { noted } from "./play-what-if.js";
import type { RecordedLoss } from "./task.js";

/** Of one compaction at most. */
const MOST_NEEDED = 200;

/**
 * What later requests needed and did not have, for each recorded compaction whose originals the recording holds: by playing
 * the recording as it was. What was needed after several is told of the newest before it. Throws `RecordingError`.
 */
export async function neededLater(
  file: string,
  onProgress: (share: number) => void,
): Promise<readonly RecordedLoss[]> {
  const { conversation, responses, rounds } = noted(await openConversation(file));
  if (conversation.overview.undoneCompactions === 0) return [];
  const { result } = await playConversation(conversation, {
    policies: parsePolicies("as-recorded"),
    missing: true,
    onProgress: (round, all) => onProgress(round / all),
  });
  const forgotten = result.policies["as-recorded"]?.forgotten ?? [];
  const turns = rounds.flatMap(({ compacted }, turn) => (compacted === undefined ? [] : [turn]));
  return turns.map((from, index) => {
    const to = turns[index + 1] ?? Infinity;
    const needed = forgotten.filter(({ turn }) => turn >= from && turn < to).slice(0, MOST_NEEDED);
    return {
      response: responses[from] ?? "",
      needed: needed.map((source) => ({
        response: responses[source.turn] ?? "",
        what: whatOf(source),
        seen: seenOf(source),
      })),
    };
  });
}

const LONGEST_LINE = 160;

function whatOf({ source, lines, missingLines, paths }: ForgottenSource): string {
  const [first] = lines.length > 0 ? lines : paths;
  const more =
    missingLines > 1 ? ` and ${missingLines - 1} more ${missingLines === 2 ? "line" : "lines"}` : "";
  return first === undefined || first === source
    ? source
    : `${source}: ${first.slice(0, LONGEST_LINE)}${more}`;
}

const seenOf = ({ roundsAgo, class: kind }: ForgottenSource): string => {
  const when =
    roundsAgo === null ? "earlier" : roundsAgo === 1 ? "one request before" : `${roundsAgo} requests before`;
  const again = {
    disk: "it can be read again",
    again: "the call can be made again",
    transcript: "only the transcript has it",
  };
  return `${when}; ${again[kind]}`;
};

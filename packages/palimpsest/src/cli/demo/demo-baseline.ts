import { findModel, type Message, type ModelRequest, type ToolDefinition } from "@palimpsest/core";
import { createLineFinder } from "../../replay/forgetting/context-lines.js";
import { createFileNames } from "../../replay/forgetting/file-names.js";
import { NOTHING_NEEDED } from "../../replay/forgetting/needs.js";
import { createUserWordsJudge } from "../../replay/measures/user-words.js";
import { createSummariseAllPolicy } from "../../replay/policies/summarise-all.js";
import { createPlayableRounds } from "../../replay/play/playable-round.js";
import { PolicyPlay } from "../../replay/play/policy-play.js";
import { answerBlocks } from "../../replay/rounds/answer-blocks.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import { systemText } from "../../simulator/players/prompt-text.js";

export interface BaselineOptions {
  readonly model: string;
  readonly window: number;
  readonly counter: TokenCounter;
  /** About how long summaries get, in characters. */
  readonly summaryCharacters: number;
}

/** One request of the agent, without what its own engine did. */
interface BaselineRound {
  readonly request: ModelRequest;
  readonly incoming: readonly Message[];
  readonly content: readonly unknown[];
  readonly id: string;
  /** When it was sent and when it was answered. */
  readonly at: number;
  readonly answeredAt: number;
}

/** What the same rounds come to where everything is summarised by a cold call at 80% of the window. */
export interface Baseline {
  readonly play: (round: BaselineRound) => Promise<void>;
  readonly figures: () => BaselineFigures;
}

interface BaselineFigures {
  readonly cost: number;
  readonly compactions: number;
  /** Share of what the person said that was there word for word, over all requests. */
  readonly userWords: number;
}

export function createBaseline(options: BaselineOptions): Baseline {
  const model = findModel(options.model);
  if (model === undefined) throw new RangeError(`no prices are known for the model ${options.model}`);
  const userWords = createUserWordsJudge();
  const playable = createPlayableRounds();
  const policy = createSummariseAllPolicy();
  let play: PolicyPlay | undefined;
  let turn = 0;

  const start = ({ request, at }: BaselineRound): PolicyPlay =>
    new PolicyPlay({
      policy,
      ttl: "5m",
      model,
      window: options.window,
      maxTokens: request.max_tokens,
      head: { system: systemText(request), tools: toolsOf(request), tokens: 0, from: "recorded" },
      counter: options.counter,
      startTime: at,
      summaryCharacters: options.summaryCharacters,
      userWords,
      finder: createLineFinder(new Set(), createFileNames()),
      keepsMissing: false,
    });

  return {
    async play(played) {
      play ??= start(played);
      const { incoming, at, answeredAt, id, content } = played;
      const response = { id, model: model.id, at: answeredAt, content: answerBlocks(content) };
      const round = playable.next({ incoming, at, response });
      userWords.note(round.incoming);
      await play.turn(round, turn, NOTHING_NEEDED);
      turn += 1;
    },
    figures() {
      const tally = play?.tally;
      const { humanMessages = 0, presentMessages = 0, cost = 0, compactions = {} } = tally ?? {};
      return {
        cost,
        compactions: Object.values(compactions).reduce((sum, count) => sum + count, 0),
        userWords: humanMessages === 0 ? 1 : presentMessages / humanMessages,
      };
    },
  };
}

/** Without what our own engine put on them. */
const toolsOf = ({ tools = [] }: ModelRequest): readonly ToolDefinition[] =>
  tools.map(({ cache_control: _marker, ...tool }) => tool as ToolDefinition);

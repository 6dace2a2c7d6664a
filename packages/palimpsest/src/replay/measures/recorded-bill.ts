import { findModel, type Model, type Usage } from "@palimpsest/core";
import { priceOf, type BilledTokens } from "../../simulator/core/pricing.js";
import { foreignTokenFactor } from "../../simulator/tokens/block-tokens.js";
import { asNumber, isFields } from "../readers/recording.js";
import type { RecordedResponse } from "../rounds/recorded-round.js";
import { BillExplainer, noCauses, type BillCauses } from "./bill-causes.js";

/** What the responses of a recording cost by the usage that they report, beside what the simulator says of them. */
export interface RecordedBill {
  /** Responses that report a usage and were played. */
  readonly responses: number;
  readonly recorded: BillFigures;
  readonly simulated: BillFigures;
  /** The simulator's error: its dollars against the recorded ones. 0 where nothing was recorded. */
  readonly error: number;
  /** Of the difference, the dollars that no transcript can account for, by cause; and all of them. */
  readonly causes: BillCauses;
  readonly explained: number;
  /** What is left of the error without them: counting. */
  readonly unexplainedError: number;
}

interface BillFigures {
  readonly cost: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

type Sum = { -readonly [Name in keyof BillFigures]: BillFigures[Name] };

/** Adds up both sides, response by response. */
export class BillComparison {
  readonly #model: Model | undefined;
  readonly #recorded = emptySum();
  readonly #simulated = emptySum();
  readonly #explainer: BillExplainer | undefined;
  #responses = 0;

  constructor(model: string) {
    this.#model = findModel(model);
    this.#explainer = this.#model && new BillExplainer(this.#model);
  }

  add(recorded: RecordedResponse, simulated: Usage, isCompacted = false): void {
    const { usage } = recorded;
    const said = usage === undefined ? undefined : billedTokens(usage);
    if (this.#model === undefined || said === undefined || promptTokens(said) === 0) return;
    const played = billedTokens(simulated);
    const comparable = this.#comparable(recorded, { said, played, model: this.#model });
    addTo(this.#simulated, played, this.#model);
    addTo(this.#recorded, comparable, this.#model);
    const isForeign = findModel(recorded.model) === undefined;
    this.#explainer?.add({ recorded: comparable, simulated: played, isForeign, isCompacted });
    this.#responses += 1;
  }

  /** The recorded tokens as this model would have counted and billed them. */
  #comparable(
    recorded: RecordedResponse,
    { said, played, model }: { said: BilledTokens; played: BilledTokens; model: Model },
  ): BilledTokens {
    const isForeign = findModel(recorded.model) === undefined;
    const factor = isForeign ? foreignTokenFactor(model) : 1;
    // What the first request read, another conversation had written: here it is written. Elsewhere what enters a
    // cache costs no more than what does not: here it does.
    const moved = (this.#responses === 0 ? said.cacheRead : 0) + (isForeign ? said.input : 0);
    const isLong = isForeign || said.cacheWrite1h > 0;
    return {
      input: isForeign ? 0 : said.input,
      cacheRead: this.#responses === 0 ? 0 : said.cacheRead * factor,
      cacheWrite5m: (said.cacheWrite5m + (isLong ? 0 : moved)) * factor,
      cacheWrite1h: (said.cacheWrite1h + (isLong ? moved : 0)) * factor,
      // A placeholder says nothing, and other vendors bill thinking that no recording shows.
      output: recorded.isUsageFinal === true && !isForeign ? said.output : played.output,
    };
  }

  get bill(): RecordedBill {
    const [recorded, simulated] = [{ ...this.#recorded }, { ...this.#simulated }];
    const error = recorded.cost === 0 ? 0 : simulated.cost / recorded.cost - 1;
    const causes = this.#explainer?.causes ?? noCauses;
    const explained = Object.values(causes).reduce((sum, dollars) => sum + dollars, 0);
    const unexplainedError = recorded.cost === 0 ? 0 : error - explained / recorded.cost;
    return { responses: this.#responses, recorded, simulated, error, causes, explained, unexplainedError };
  }
}

const emptySum = (): Sum => ({
  cost: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
});

function addTo(sum: Sum, tokens: BilledTokens, model: Model): void {
  sum.cost += priceOf(model, tokens);
  sum.inputTokens += tokens.input;
  sum.cacheReadTokens += tokens.cacheRead;
  sum.cacheWriteTokens += tokens.cacheWrite5m + tokens.cacheWrite1h;
  sum.outputTokens += tokens.output;
}

/** What a usage bills. Where it does not say how long entries live, five minutes. */
export function billedTokens(usage: Usage): BilledTokens {
  const created: unknown = usage.cache_creation;
  const lived = isFields(created) ? created : {};
  const written = asNumber(usage.cache_creation_input_tokens);
  const cacheWrite1h = Math.min(written, asNumber(lived["ephemeral_1h_input_tokens"]));
  return {
    input: asNumber(usage.input_tokens),
    cacheRead: asNumber(usage.cache_read_input_tokens),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: asNumber(usage.output_tokens),
  };
}

export const promptTokens = ({ input, cacheRead, cacheWrite5m, cacheWrite1h }: BilledTokens): number =>
  input + cacheRead + cacheWrite5m + cacheWrite1h;

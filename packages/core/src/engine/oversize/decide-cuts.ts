import type { Message } from "../../messages/message.js";
import type { Estimator } from "../ports/estimator.js";
import { textsIn, type MessageText } from "../boundaries/message-texts.js";

/** A text that is too long, and how many tokens may be left of it. */
export interface PlannedCut extends MessageText {
  readonly tokens: number;
  readonly tokensAfter: number;
  /** What is known of its message, by what the estimator says of the texts alone. */
  readonly scale: number;
}

export interface CutLimits {
  readonly estimator: Estimator;
  /** Tokens that the messages should have afterwards. */
  readonly target: number;
  /** Tokens that they may have at most: where even that cannot be reached nothing is cut. */
  readonly most: number;
}

/** What a block has beside its texts is less than this, where it has shown to be larger. */
const FAR = 1.25;

/** No text is cut to less than this. */
const LEAST_TOKENS = 400;

/** The longest texts lose, all down to the same length; shorter ones stay whole. Undefined where that is not enough. */
export function decideCuts(
  messages: readonly Message[],
  { estimator, target, most }: CutLimits,
): readonly PlannedCut[] | undefined {
  const texts = messages.flatMap((message) => sizedTexts(message, estimator));
  const inTexts = texts.reduce((sum, { tokens }) => sum + tokens, 0);
  const inAll = messages.reduce((sum, message) => sum + estimator.message(message), 0);
  const beside = Math.max(0, inAll - inTexts);
  const tokensAfter = Math.max(LEAST_TOKENS, lengthWithin(texts, target - beside));
  const left = texts.reduce((sum, { tokens }) => sum + Math.min(tokens, tokensAfter), beside);
  if (left > most) return undefined;
  return texts.filter(({ tokens }) => tokens > tokensAfter).map((text) => ({ ...text, tokensAfter }));
}

/** The texts of a message with their sizes: what has been shown of a block is shown of its texts. */
function sizedTexts(message: Message, estimator: Estimator): readonly Omit<PlannedCut, "tokensAfter">[] {
  const texts = textsIn(message).map((text) => ({ ...text, tokens: estimator.block(text.text) }));
  const content: unknown = message.type === "user" ? message.message?.content : undefined;
  return texts.map((text) => {
    const [place] = text.path;
    const guessed = texts.reduce((sum, { path, tokens }) => sum + (path[0] === place ? tokens : 0), 0);
    const isPart = place !== undefined && Array.isArray(content);
    const known = isPart ? estimator.block(content[place]) : estimator.message(message);
    const isShown = guessed > 0 && (known > guessed * FAR || known < guessed);
    const scale = isShown ? known / guessed : 1;
    return { ...text, tokens: Math.ceil(text.tokens * scale), scale };
  });
}

/** The length to which texts have to be cut so that all of them together have `room`. */
function lengthWithin(texts: readonly { readonly tokens: number }[], room: number): number {
  const sizes = texts.map(({ tokens }) => tokens).toSorted((a, b) => a - b);
  let left = room;
  for (const [at, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - at));
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

import type { ImageLimits } from "../../models/model.js";
import { findModel } from "../../models/table.js";
import type { EventEmitter } from "../events/emitter.js";
import { partsOf, type BlockParts } from "./block-text.js";
import { calibrate, errorBound, uncalibrated, type Calibration } from "./calibration.js";
import { classTokens, classWeights, type WeightsName } from "./character-classes.js";
import type { Message } from "../../messages/message.js";
import type { Estimator, ShownGrowth } from "../ports/estimator.js";
import { piecesOf, scaleOf } from "./kind-scales.js";
import { rememberMessages } from "./remember-messages.js";
import { sentBlocks } from "./sent-blocks.js";

export interface DefaultEstimator extends Estimator {
  /** What was learned so far; already part of what it says. */
  calibration: Calibration;
  readonly learn: (growth: ShownGrowth) => void;
}

export interface DefaultEstimatorOptions {
  readonly model: string;
  /** What was learned of this model before. */
  readonly calibration?: Calibration | undefined;
  /** Told of what is learned. */
  readonly events?: EventEmitter;
  readonly onLearned?: (calibration: Calibration) => void;
}

const SIGNATURE_CHARACTERS_PER_TOKEN = 4.2;
const DOCUMENT_TOKENS = 2000;
const IMAGE_PATCH = 28;
const unknownImages: ImageLimits = { maxTokens: 1568, maxLongEdge: 1568, maxCount: 100 };

/** Character classes with weights per tokenizer, images by the API's rule, and a scale that learns. */
export function createDefaultEstimator(options: DefaultEstimatorOptions): DefaultEstimator {
  const known = findModel(options.model);
  const weights = classWeights[known?.tokenizer ?? weightsFor(options.model)];
  const images = known?.capabilities.images ?? unknownImages;
  let calibration = options.calibration ?? uncalibrated;
  const textTokens = (text: string): number => {
    const { kinds = [] } = calibration;
    if (kinds.length === 0) return classTokens(text, weights);
    return piecesOf(text).reduce(
      (sum, piece) => sum + classTokens(piece, weights) * scaleOf(kinds, piece),
      0,
    );
  };
  const sumOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + textTokens(text), 0);
  const tokensOf = (parts: BlockParts): number =>
    (sumOf(parts.texts) + sumOf(parts.documentTexts)) * calibration.scale +
    parts.toolResults * weights.perToolResult +
    parts.signatureCharacters / SIGNATURE_CHARACTERS_PER_TOKEN +
    parts.images.reduce<number>((sum, pixels) => sum + imageTokens(pixels, images), 0) +
    parts.documents * DOCUMENT_TOKENS;
  /** The blocks of messages: whoever goes through a conversation asks for them one by one. */
  const ofMessages = new WeakMap<object, number>();
  const block = (value: unknown): number =>
    (isObject(value) ? ofMessages.get(value) : undefined) ?? Math.round(tokensOf(partsOf(value)));
  return {
    name: "default",
    block,
    message: rememberMessages((value) => {
      const tokens = block(value);
      if (isObject(value)) ofMessages.set(value, tokens);
      return tokens;
    }),
    pad: (tokens) => Math.ceil(tokens * (1 + errorBound(calibration))),
    learn({ messages, estimated, actual }) {
      const learned = calibrate(calibration, { estimated, actual, texts: messages.flatMap(textsOf) });
      if (learned === calibration) return;
      calibration = learned;
      options.onLearned?.(learned);
      options.events?.emit("estimator_calibrated", {
        model: options.model,
        estimated,
        actual,
        scale: learned.scale,
      });
    },
    get calibration() {
      return calibration;
    },
    set calibration(known) {
      calibration = known;
    },
  };
}

const textsOf = (message: Message): readonly string[] =>
  sentBlocks(message).flatMap((item) => {
    const { texts, documentTexts } = partsOf(item);
    return [...texts, ...documentTexts];
  });

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The tokenizer of a model that is in no table; one that nobody knows is taken for a newer one, which costs more. */
function weightsFor(model: string): WeightsName {
  if (/^(?:openai\/)?(?:gpt|o\d|codex)/i.test(model)) return "gpt";
  return /claude-(?:[1-3]|(?:opus|sonnet|haiku)-(?:4(?:-[0-6])?|3))(?:\D|$)/.test(model) ? "older" : "newer";
}

function imageTokens(
  pixels: { readonly width: number; readonly height: number } | undefined,
  { maxTokens, maxLongEdge }: ImageLimits,
): number {
  if (pixels === undefined) return maxTokens;
  const scale = Math.min(1, maxLongEdge / Math.max(pixels.width, pixels.height, 1));
  const patches = (edge: number): number => Math.max(1, Math.ceil((edge * scale) / IMAGE_PATCH));
  return Math.min(maxTokens, patches(pixels.width) * patches(pixels.height));
}

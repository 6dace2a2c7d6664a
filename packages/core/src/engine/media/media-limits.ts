import type { Model } from "../../models/model.js";
import type { Settings } from "../settings/settings.js";

/** With more images than this in a request, each must be smaller. */
export const MANY_IMAGES = 20;
export const LARGEST_EDGE_OF_MANY = 2000;

/** The least that any model takes. */
const COUNT_OF_UNKNOWN_MODEL = 100;

/** Whom the budgets are for. */
export interface MediaOptions {
  /** Undefined for one that is not in the table: it is taken for one that takes the least and binds thinking. */
  readonly model: Model | undefined;
  readonly settings: Pick<Settings, "mediaImages" | "mediaBytes" | "mediaKeepShare">;
}

/** What a request may hold, and what is left once it held more. */
export interface MediaBudget {
  readonly most: number;
  /** The low watermark: never nothing where something is allowed. */
  readonly target: number;
}

export const budgetOf = (most: number, keepShare: number): MediaBudget => ({
  most,
  target: Math.min(most, Math.max(1, Math.floor(most * keepShare))),
});

/** Images and documents together: the API counts both, and never takes more than the model's own number. */
export const countBudget = ({ model, settings }: MediaOptions): MediaBudget =>
  budgetOf(
    Math.min(
      settings.mediaImages ?? Number.POSITIVE_INFINITY,
      model?.capabilities.images.maxCount ?? COUNT_OF_UNKNOWN_MODEL,
    ),
    settings.mediaKeepShare,
  );

export const bytesBudget = ({ settings }: MediaOptions): MediaBudget =>
  budgetOf(settings.mediaBytes, settings.mediaKeepShare);

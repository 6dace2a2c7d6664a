import type { Attachment } from "../../messages/message.js";
import { renderAttachment } from "../../messages/normalise/render-attachment.js";
import type { Estimator } from "../ports/estimator.js";

/** Tokens of an attachment as the model is sent it. */
export const attachmentTokens = (attachment: Attachment, estimator: Estimator): number =>
  renderAttachment(attachment).reduce((sum, block) => sum + estimator.block(block), 0);

/** No estimator in use makes less than a token of so many characters: what lies beyond need not be looked at. */
export const MOST_CHARACTERS_PER_TOKEN = 32;

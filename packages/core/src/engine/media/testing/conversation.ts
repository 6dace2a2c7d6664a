import { createAttachmentMessage, createUserMessage } from "../../../messages/construct.js";
import type { UserBlock } from "../../../messages/content.js";
import type { Message } from "../../../messages/message.js";
import { findModel } from "../../../models/table.js";
import { createSample } from "../../tools/testing/sample.js";
import { defaultSettings, type Settings } from "../../settings/settings.js";
import type { MediaOptions } from "../media-limits.js";

/** A conversation under construction, with whatever people and queues say. */
export function createMediaSample() {
  const sample = createSample();
  return {
    ...sample,
    says: (...content: readonly UserBlock[]): Message => createUserMessage(sample.origin(), { content }),
    queued: (...prompt: readonly UserBlock[]): Message =>
      createAttachmentMessage(sample.origin(), { type: "queued_command", prompt }),
  };
}

export const optionsOf = (
  model: string,
  settings: Partial<Settings> = {},
): MediaOptions & { readonly settings: Settings } => ({
  model: findModel(model),
  settings: { ...defaultSettings, ...settings },
});

import { apiTexts } from "./api-texts.js";
import { joinPath, type Problem } from "./problem.js";
import type { RequestRule } from "./judged-request.js";

const LARGEST_EDGE = 8000;
const MANY_IMAGES = 20;
const LARGEST_EDGE_OF_MANY = 2000;

/** How many images, and how large. Images inside tool results count like others. */
export const imageRules: RequestRule = ({ messages, model }) => {
  let images = 0;
  let documents = 0;
  for (const { facts } of messages) {
    images += facts.notes.images.length;
    documents += facts.notes.documents.length;
  }
  if (images === 0) return [];
  const problems: Problem[] = [];
  const isMany = images > MANY_IMAGES;
  for (const { index, facts } of messages) {
    for (const { path, label, size } of facts.notes.images) {
      if (size === undefined) continue;
      const edge = Math.max(size.width, size.height);
      if (edge <= (isMany ? LARGEST_EDGE_OF_MANY : LARGEST_EDGE)) continue;
      const text = isMany
        ? apiTexts.imageDimensionsMany(LARGEST_EDGE_OF_MANY)
        : apiTexts.imageDimensions(LARGEST_EDGE);
      problems.push({
        path: joinPath(`messages.${index}`, path),
        rule: isMany ? "image-dimensions-many" : "image-dimensions",
        message: `messages.${index}.${label}: ${text}`,
      });
    }
  }
  const limit = model?.capabilities.images.maxCount;
  if (limit !== undefined && images > limit) {
    problems.push({
      path: "messages",
      rule: "too-many-images",
      message: apiTexts.tooManyImages({ images, documents }, limit),
    });
  }
  return problems;
};

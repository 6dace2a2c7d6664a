import type { ModelCall } from "@palimpsest/core";
import { blockTexts } from "../measures/shown-texts.js";

/** The texts of a request that stand before its messages. */
export function systemTexts({ request: { system } }: ModelCall): readonly string[] {
  if (system === undefined) return [];
  return typeof system === "string" ? [system] : system.flatMap(blockTexts);
}

import { findModel, messagesApiCapabilities, type ProviderCapabilities } from "@palimpsest/core";

/**
 * What the Messages API can do with a model. Of a model that nobody knows only what every model can do is
 * believed: markers and their lifetimes.
 */
export function messagesCapabilities(
  model: string,
  differences: Partial<ProviderCapabilities> = {},
): ProviderCapabilities {
  const known = findModel(model)?.capabilities;
  return {
    ...messagesApiCapabilities,
    contextEdits: known?.contextEdits ?? false,
    compactionBlocks: known?.compactionBlocks ?? false,
    cacheDiagnostics: known !== undefined && messagesApiCapabilities.cacheDiagnostics,
    ...differences,
  };
}

import { findModel, type ProviderCapabilities } from "@palimpsest/core";
import { capabilitiesOfModel, cloudCapabilities } from "@palimpsest/core/engine";

export interface CapabilityFacts {
  /** Bedrock or Vertex answers, whatever the model is called. */
  readonly isCloud?: boolean;
  /** There, a lifetime of an hour is wanted too. */
  readonly hasLongCache?: boolean;
  readonly differences?: Partial<ProviderCapabilities> | undefined;
}

/**
 * What may be asked for with a model. Of a model that nobody knows only what every model can do is
 * believed: markers and their lifetimes.
 */
export function messagesCapabilities(
  model: string,
  { isCloud = false, hasLongCache = false, differences = {} }: CapabilityFacts = {},
): ProviderCapabilities {
  const known = findModel(model)?.capabilities;
  const offered = isCloud ? cloudCapabilities : capabilitiesOfModel(model);
  return {
    ...offered,
    contextEdits: offered.contextEdits && known?.contextEdits === true,
    compactionBlocks: offered.compactionBlocks && known?.compactionBlocks === true,
    ...(hasLongCache ? { ttls: ["5m", "1h"] } : {}),
    ...differences,
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables by which Claude Code is asked for lifetimes of an hour where it would not; the second is the older one. */
export const wantsLongCache = (env: Environment): boolean =>
  ["ENABLE_PROMPT_CACHING_1H", "ENABLE_PROMPT_CACHING_1H_BEDROCK"].some((name) =>
    /^(?:1|true|yes|on)$/i.test(env[name]?.trim() ?? ""),
  );

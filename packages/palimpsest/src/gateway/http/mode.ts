/**
 * What happens to a request. `observe`: passed on byte for byte, watched and priced. `off`: passed on byte for byte, and not
 * looked at.
 */
export type Mode = "observe" | "off";

export const modeNames: readonly Mode[] = ["observe", "off"];

export const isMode = (value: unknown): value is Mode => modeNames.includes(value as Mode);

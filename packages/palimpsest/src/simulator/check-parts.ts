import { PalimpsestError } from "@palimpsest/core";
import { PlayerError } from "./player-error.js";

const hasFunction = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";

/** Throws for options that are none. */
export function checkObject(caller: string, options: unknown): void {
  if (typeof options === "object" && options !== null) return;
  throw new PalimpsestError("bad_option", `${caller}: the options must be an object`);
}

/** Throws for what cannot play the model. */
export function checkPlayer(caller: string, player: unknown): void {
  if (hasFunction(player, "answer")) return;
  throw new PlayerError(
    "bad-player",
    `${caller}: the player must have \`answer()\`, as what createEchoPlayer() makes has it`,
  );
}

export function checkSimulator(caller: string, simulator: unknown): void {
  if (hasFunction(simulator, "call")) return;
  throw new PalimpsestError("bad_option", `${caller}: \`simulator\` must be made by createSimulator()`);
}

/** A window of so many tokens, where one is given. */
export function checkWindow(caller: string, window: unknown): void {
  if (window === undefined || (Number.isInteger(window) && (window as number) > 0)) return;
  throw new PalimpsestError("bad_option", `${caller}: \`window\` must be a whole number above 0`);
}

import { matchesKey, type KeyId } from "@earendil-works/pi-tui";

/** Keys of the screen itself, by what they do. Those of the editor are its own. */
export const screenKeys = {
  interrupt: "escape",
  details: "ctrl+o",
  history: "ctrl+r",
  suspend: "ctrl+z",
  redraw: "ctrl+l",
  mode: "shift+tab",
  leave: "ctrl+d",
} as const;

export type KeyName = keyof typeof screenKeys;
export type Keys = Readonly<Record<KeyName, string>>;

const KEY =
  /^(?:(?:ctrl|alt|shift)\+){0,3}(?:[a-z0-9]|escape|tab|enter|space|backspace|delete|home|end|pageUp|pageDown|up|down|left|right|f(?:[1-9]|1[0-2]))$/;

export const isKey = (value: unknown): value is string => typeof value === "string" && KEY.test(value);

export const isPressed = (data: string, key: string): boolean => matchesKey(data, key as KeyId);

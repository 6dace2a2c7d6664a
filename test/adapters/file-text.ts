import { output } from "../conversation/world.js";

/** What a file says, the same whenever and wherever it is read. */
export const fileText = (input: unknown): string => {
  const [number = "0"] = /\d+/.exec(JSON.stringify(input)) ?? [];
  return output(Number(number), 2500);
};

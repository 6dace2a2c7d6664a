import { InvalidArgumentError } from "commander";

/** An argument of the command line that counts something. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError("A whole number, 1 or more, is expected.");
  return number;
}

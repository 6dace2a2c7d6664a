import { InvalidArgumentError } from "commander";

/** A port as an argument of the command line. */
export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError("It is a number from 0 to 65535.");
  return port;
}

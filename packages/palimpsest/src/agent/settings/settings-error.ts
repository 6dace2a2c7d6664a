import { PalimpsestError } from "@palimpsest/core";

/** A value that may not stand where it stands. Values themselves are never repeated: they may be secrets. */
export interface SettingsProblem {
  /** A path, or `command line`. */
  readonly file: string;
  /** The key, or the line and column of broken JSON. */
  readonly key: string;
  readonly message: string;
  readonly allowed: string;
}

export const describeProblem = ({ file, key, message, allowed }: SettingsProblem): string =>
  `${file}: ${key}: ${message}${allowed === "" ? "" : `; allowed: ${allowed}`}`;

/** Settings that cannot be used as they stand; the message names each place and what is allowed there. */
export class SettingsError extends PalimpsestError<"bad_option"> {
  override readonly name = "SettingsError";
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    super("bad_option", problems.map(describeProblem).join("\n"));
    this.problems = problems;
  }
}

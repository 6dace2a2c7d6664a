import { parseShell } from "../../shell/parse-shell.js";
import type { ShellCommand } from "../../shell/shell-command.js";
import { mayShowHidden, showsFiles } from "../shell/shown-files.js";
import type { CallPlaces, JudgedCommand } from "./call-facts.js";
import { directoriesOf } from "./command-directories.js";
import { directoriesReached } from "./command-paths.js";
import { baseName, isFedWithCommands, isShell, runsOthers } from "./running-programs.js";

const MAX_RUN = 20;

interface HiddenOptions {
  readonly places: CallPlaces;
  readonly isInside: (path: string) => boolean;
  readonly isHidden: (path: string) => boolean;
  /** False as soon as the disk was asked often enough. */
  readonly mayLook: () => boolean;
}

/**
 * Whether a command may show the text of a file that a rule hides although none of its words names that file. One that
 * is not clear may. What programs open by themselves that are not known for showing files is not known here either.
 */
export function commandShowsHidden(
  { parsed }: Pick<JudgedCommand, "parsed">,
  options: HiddenOptions,
): boolean {
  if (parsed.kind === "unclear" || parsed.commands.some(isFedWithCommands)) return true;
  const { commands } = parsed;
  const { isInside } = options;
  const followed = directoriesOf(commands, { start: options.places.workingDirectory, isInside });
  const reached = directoriesReached(commands, options.places);
  return commands.some((command, index) => {
    const places = followed[index];
    const directories = Array.isArray(places) ? places : reached;
    return showsHidden(command, directories, options);
  });
}

/** `directories` are those in which it may run; undefined where that cannot be told. */
function showsHidden(
  { words }: ShellCommand,
  directories: readonly string[] | undefined,
  options: HiddenOptions,
): boolean {
  const { isHidden, mayLook, places } = options;
  const isWrapped = runsWords(words);
  // Each word after a program that runs others may be one: of very many nobody knows.
  if (isWrapped && words.filter(({ value }) => showsFiles(baseName(value))).length > MAX_RUN) return true;
  return words.some((word, at) => {
    // After the program itself only what it runs is a program.
    if (at > 0 && !isWrapped) return false;
    const name = baseName(word.value);
    if (!showsFiles(name) && !isShell(name)) return false;
    const rest = words.slice(at + 1);
    if (isShell(name)) return rest.some(({ value }) => textShowsHidden(value, directories, options));
    if (directories === undefined || (at > 0 && readsNames(words))) return true;
    return directories.some((directory) =>
      mayShowHidden(name, rest, { directory, home: places.home, isHidden, mayLook }),
    );
  });
}

const runsWords = ([program, ...rest]: ShellCommand["words"]): boolean =>
  program !== undefined && runsOthers(program.value, rest) === "words";

/** What is run is given names that are found only then, or is run elsewhere. */
const readsNames = ([program, ...rest]: ShellCommand["words"]): boolean =>
  /^(?:xargs|parallel|find|fd|fdfind|entr|watch)$/.test(baseName(program?.value ?? "")) ||
  rest.some(({ value }) => /^(?:-C|--chdir|-D)/.test(value));

/** A text that another shell is to run. */
function textShowsHidden(
  text: string,
  directories: readonly string[] | undefined,
  options: HiddenOptions,
): boolean {
  if (!/\s/.test(text)) return false;
  const parsed = parseShell(text);
  return (directories ?? [options.places.workingDirectory]).some((workingDirectory) =>
    commandShowsHidden({ parsed }, { ...options, places: { ...options.places, workingDirectory } }),
  );
}

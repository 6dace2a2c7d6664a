import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { RecordedProject } from "./recorded-commands.js";

/** A recorded command as it would be called in the stand-in for its project. */
export interface PlacedCommand {
  readonly command: string;
  readonly root: string;
  readonly directory: string;
}

/**
 * Recorded projects are not on this machine. Each gets an empty folder with a repository, and in it whatever its
 * recording names; commands are given that folder's path in the place of the recorded one.
 */
export function placeCommands(
  projects: readonly RecordedProject[],
  folder: string,
): readonly PlacedCommand[] {
  const roots = new Map<string, string>();
  const standIn = (root: string): string => {
    const known = roots.get(root);
    if (known !== undefined) return known;
    const path = join(folder, `project-${roots.size + 1}`);
    mkdirSync(path);
    execFileSync("git", ["init", "-q"], { cwd: path, stdio: "ignore" });
    roots.set(root, path);
    return path;
  };
  return projects.flatMap(({ commands, files }) =>
    commands.map(({ command, root, directory }) => {
      const place = standIn(root);
      const put = (text: string): string => replaceRoot(text, root, place);
      const placed = { command: put(command), root: place, directory: resolve(put(directory)) };
      makeDirectory(placed.directory, place);
      for (const file of files) makeFile(resolve(place, put(file)), place);
      for (const target of movesIn(placed.command)) makeDirectory(resolve(placed.directory, target), place);
      for (const word of fileWords(placed.command)) makeFile(resolve(placed.directory, word), place);
      return placed;
    }),
  );
}

/** Every spelling of a project's folder: also a drive's, as its own shells write it. */
function replaceRoot(text: string, root: string, place: string): string {
  if (root === "") return text;
  const drive = /^([A-Za-z]):[\\/](.*)$/s.exec(root);
  if (drive === null) return text.replaceAll(root, place);
  const [, letter = "", rest = ""] = drive;
  const below = rest
    .split(/[\\/]+/)
    .map(escaped)
    .join("[\\\\/]+");
  const spelling = new RegExp(`(?:${letter}:[\\\\/]+|/${letter}/)${below}((?:[\\\\/][\\w.-]+)*)`, "gi");
  return text.replaceAll(spelling, (_all, after: string) => `${place}${after.replaceAll("\\", "/")}`);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

const movesIn = (command: string): readonly string[] =>
  Array.from(command.matchAll(/\bcd\s+["']?([^\s"';&|)$`]+)/g), ([, directory = ""]) => directory);

/** Words that look like the name of a file. */
const fileWords = (command: string): readonly string[] =>
  command.split(/[\s"'`;&|()<>=:,]+/).filter((word) => /^[\w@./-]*[\w-]\.[A-Za-z]{1,5}$/.test(word));

const isInside = (path: string, root: string): boolean => {
  const way = relative(root, path);
  return !way.startsWith("..") && !way.split("/").includes(".git") && path.length < 1000;
};

function makeDirectory(path: string, root: string): void {
  if (!isInside(path, root)) return;
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // A file of that name was named before.
  }
}

function makeFile(path: string, root: string): void {
  if (!isInside(path, root) || basename(path).length > 200) return;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "", { flag: "wx" });
  } catch {
    // It is there, or a directory of that name.
  }
}

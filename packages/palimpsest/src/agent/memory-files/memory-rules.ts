import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { MemoryRules } from "@palimpsest/core/restore";
import { createFileAccess } from "../../files/file-access.js";
import { compilePathPattern } from "../base/path-pattern.js";
import { wayInside } from "../base/real-path.js";
import { readFrontMatter, textList } from "../base/front-matter.js";
import { ruleFilesIn } from "./rule-files.js";

export interface MemoryRulesOptions {
  readonly workingDirectory: string;
  readonly home: string;
  /** Directories of the project above the working directory: `projectDirectories` gives them. */
  readonly directoriesAbove?: readonly string[];
}

export interface FileMemoryRules extends MemoryRules {
  /** The patterns of a rule that was looked at, for hooks; none for a rule that holds everywhere. */
  readonly patternsOf: (rulePath: string) => readonly string[];
}

interface KnownRule {
  readonly mtime: number;
  readonly patterns: readonly string[];
}

const MAX_HEAD = 64_000;

/** A rule of the person's own, for all their projects. */
export const isPersonalRule = (path: string, home: string): boolean =>
  wayInside(join(resolve(home), ".claude", "rules"), path) !== undefined;

/**
 * Rules of `.claude/rules`, those of home and those of each directory. A rule with `paths` holds for what they
 * match, counted from the directory that holds `.claude` (the working directory for the person's own). One without
 * holds for all of its directory; at home and at the working directory such a rule is part of the memory files
 * from the start and is not named here. What was read is kept until the file changes.
 */
export function createMemoryRules(options: MemoryRulesOptions): FileMemoryRules {
  const { workingDirectory, home, directoriesAbove = [] } = options;
  const known = new Map<string, KnownRule>();
  const start = resolve(workingDirectory);

  const look = async (path: string): Promise<KnownRule | undefined> => {
    const status = await stat(path).catch(() => undefined);
    if (status === undefined) return undefined;
    const before = known.get(path);
    if (before?.mtime === status.mtimeMs) return before;
    const roots = [dirname(path), home, start];
    const outcome = await createFileAccess({ roots }).read(path, {
      maxCharacters: MAX_HEAD,
      isNumbered: false,
    });
    if (outcome.kind !== "text") return undefined;
    const { fields } = await readFrontMatter(outcome.content);
    const rule = { mtime: status.mtimeMs, patterns: textList(fields["paths"]) ?? [] };
    known.set(path, rule);
    return rule;
  };

  const matching = async (
    directory: string,
    path: string,
    { from, takesLasting }: { readonly from: string; readonly takesLasting: boolean },
  ): Promise<readonly string[]> => {
    const places = { home, workingDirectory: from, base: from };
    const found: string[] = [];
    for (const rulePath of await ruleFilesIn(join(directory, ".claude"))) {
      const rule = await look(rulePath);
      if (rule === undefined) continue;
      const isMeant =
        rule.patterns.length === 0
          ? takesLasting
          : rule.patterns.some((pattern) => compilePathPattern(pattern, { places })?.(path) === true);
      if (isMeant) found.push(rulePath);
    }
    return found;
  };

  return {
    async forPath(path) {
      const above = directoriesAbove.filter(
        (directory) => ![start, resolve(home)].includes(resolve(directory)),
      );
      const found = await Promise.all([
        matching(home, path, { from: start, takesLasting: false }),
        ...above.map((directory) => matching(directory, path, { from: directory, takesLasting: false })),
      ]);
      return found.flat();
    },
    inDirectory: (directory, path) =>
      matching(directory, path, { from: directory, takesLasting: resolve(directory) !== start }),
    patternsOf: (rulePath) => known.get(rulePath)?.patterns ?? [],
  };
}

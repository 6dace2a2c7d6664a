import { basename, join } from "node:path";
import { createFileAccess } from "../../files/file-access.js";
import { markdownBelow } from "../base/markdown-below.js";
import { readFrontMatter } from "../base/front-matter.js";
import { nearNames } from "../base/near-names.js";

export interface OutputStyle {
  readonly name: string;
  /** For the end of the system prompt; empty for the default. */
  readonly text: string;
  /** Whether the ordinary instructions about writing code stay. */
  readonly keepsCodingInstructions: boolean;
}

export interface OutputStyleOptions {
  /** As the settings name it. Left out: the default. */
  readonly name?: string | undefined;
  readonly cwd: string;
  readonly home: string;
  readonly configDirectory: string;
  readonly includesProject?: boolean;
  /** Files that rules forbid to read are no styles. */
  readonly isDenied?: (path: string) => boolean;
}

const MAX_CHARACTERS = 40_000;

export const defaultOutputStyle: OutputStyle = { name: "default", text: "", keepsCodingInstructions: true };

/**
 * The style of a name: from the project, then from the person's folders, the case of letters aside. One that is
 * not there is the default, with a warning. Never rejects.
 */
export async function loadOutputStyle(
  options: OutputStyleOptions,
): Promise<{ readonly style: OutputStyle; readonly warning?: string }> {
  const { name, cwd, home, configDirectory, includesProject = true, isDenied } = options;
  const wanted = name?.trim().toLowerCase() ?? "";
  if (wanted === "" || wanted === "default") return { style: defaultOutputStyle };
  const places = [
    ...(includesProject ? [".palimpsest", ".claude"] : []).map((folder) => ({
      folder: join(cwd, folder),
      root: cwd,
    })),
    { folder: configDirectory, root: configDirectory },
    { folder: join(home, ".claude"), root: home },
  ];
  const known: string[] = [];
  for (const { folder, root } of places) {
    const files = createFileAccess({
      roots: [root],
      maxLines: Number.MAX_SAFE_INTEGER,
      ...(isDenied === undefined ? {} : { isDenied }),
    });
    for (const path of await markdownBelow(join(folder, "output-styles"), 1)) {
      const outcome = await files.read(path, { maxCharacters: MAX_CHARACTERS, isNumbered: false });
      if (outcome.kind !== "text") continue;
      const { fields, body } = await readFrontMatter(outcome.content);
      const own = basename(path).replace(/\.md$/i, "");
      const styled = typeof fields["name"] === "string" ? fields["name"].trim() : own;
      known.push(styled);
      if (![styled.toLowerCase(), own.toLowerCase()].includes(wanted)) continue;
      const keepsCodingInstructions = fields["keep-coding-instructions"] === true;
      return { style: { name: styled, text: body.trim(), keepsCodingInstructions } };
    }
  }
  const near = nearNames(wanted, known);
  const hint = near.length > 0 ? `; did you mean ${near.join(", ")}?` : "";
  return {
    style: defaultOutputStyle,
    warning: `there is no output style ${JSON.stringify(wanted.slice(0, 80))}; the default counts${hint}`,
  };
}

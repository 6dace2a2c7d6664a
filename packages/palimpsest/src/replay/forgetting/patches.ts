/** A piece of text that a patch holds, without the signs before its lines. */
export interface PatchPiece {
  /** As the patch names it. */
  readonly path: string;
  readonly text: string;
  /** Lines of context and lines that go: the file has to hold them for the patch to fit. */
  readonly isReplaced: boolean;
}

const FILE_HEAD = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
const END = "*** End Patch";
const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;

/** Whether a text holds a patch of either form. */
export const holdsPatch = (text: string): boolean =>
  text.includes("*** Begin Patch") || /^@@ -\d+(?:,\d+)? \+\d+/m.test(text);

/** The pieces of all patches in a text, of the form of `apply_patch` and of unified diffs, and the text around them. */
export function patchPieces(text: string): { readonly pieces: readonly PatchPiece[]; readonly rest: string } {
  const reader = new PatchReader();
  for (const line of text.split(/\r?\n/)) reader.take(line);
  return reader.end();
}

class PatchReader {
  readonly #pieces: PatchPiece[] = [];
  readonly #rest: string[] = [];
  #form: "none" | "apply" | "unified" = "none";
  #path = "";
  #old: string[] = [];
  #added: string[] = [];
  #isInHunk = false;

  take(line: string): void {
    if (this.#form === "apply") this.#takeApplied(line);
    else if (line.startsWith("*** Begin Patch")) this.#form = "apply";
    else if (!this.#takeUnified(line)) this.#rest.push(line);
  }

  end(): { readonly pieces: readonly PatchPiece[]; readonly rest: string } {
    this.#close();
    return { pieces: this.#pieces, rest: this.#rest.join("\n") };
  }

  #takeApplied(line: string): void {
    const head = FILE_HEAD.exec(line) ?? MOVE.exec(line);
    if (head !== null) {
      if (!line.startsWith("*** Move")) this.#close();
      this.#path = head[1]?.trim() ?? "";
    } else if (line.startsWith(END)) {
      this.#close();
      this.#form = "none";
    } else if (line.startsWith("@@")) this.#closeHunk(line.slice(2));
    else if (!line.startsWith("***")) this.#takeLine(line);
  }

  /** What stands after `@@` names a line of the file: it has to be known, too. */
  #closeHunk(anchor: string): void {
    this.#close();
    if (anchor.trim() !== "") this.#old.push(anchor.trim());
  }

  /** Says whether the line belongs to a diff. */
  #takeUnified(line: string): boolean {
    if (line.startsWith("--- ") || line.startsWith("+++ ")) {
      this.#close();
      this.#isInHunk = false;
      const named = line.slice(4).split("\t")[0]?.trim() ?? "";
      if (named !== "/dev/null") this.#path = named.replace(/^[ab]\//, "");
      return true;
    }
    if (HUNK.test(line)) {
      this.#close();
      this.#isInHunk = true;
      return true;
    }
    if (!this.#isInHunk) return false;
    if (!/^[ +\-\\]/.test(line) && line !== "") {
      this.#close();
      this.#isInHunk = false;
      return false;
    }
    if (!line.startsWith("\\")) this.#takeLine(line);
    return true;
  }

  #takeLine(line: string): void {
    (line.startsWith("+") ? this.#added : this.#old).push(line.slice(1));
  }

  #close(): void {
    const [old, added, path] = [this.#old, this.#added, this.#path];
    [this.#old, this.#added] = [[], []];
    if (old.some((line) => line.trim() !== "")) {
      this.#pieces.push({ path, text: old.join("\n"), isReplaced: true });
    }
    if (added.length > 0) this.#pieces.push({ path, text: added.join("\n"), isReplaced: false });
  }
}

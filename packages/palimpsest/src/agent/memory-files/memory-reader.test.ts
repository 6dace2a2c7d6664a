import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileAccess } from "../../files/file-access.js";
import { createMemoryReader } from "./memory-reader.js";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-reader-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const put = async (name: string, text: string): Promise<string> => {
  const path = join(base, "project", name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
};

async function read(name: string, isDenied: (path: string) => boolean = () => false) {
  const problems: string[] = [];
  const imported: string[] = [];
  const files = createFileAccess({ roots: [join(base, "project")], isDenied });
  const reader = createMemoryReader({
    files,
    imports: files,
    isImportable: (path) => !path.includes("node_modules"),
    isDenied,
    onProblem: ({ message }) => void problems.push(message.replaceAll(`${base}/project/`, "")),
    onImported: (path, { parent, top }) =>
      void imported.push([path, parent, top].map((one) => one.slice(base.length + 9)).join(" ")),
  });
  const outcome = await reader.read(join(base, "project", name), {
    maxCharacters: 40_000,
    isNumbered: false,
  });
  return { text: outcome.kind === "text" ? outcome.content : outcome.kind, problems, imported };
}

describe("a memory file", () => {
  it("is read with what it imports, each import once", async () => {
    await put("a/AGENTS.md", "First.\n@b.md and @b.md, then @sub/c.md\n`@d.md`\n");
    await put("a/b.md", "Second. @sub/c.md");
    await put("a/sub/c.md", "Third.");
    await put("a/d.md", "An example.");
    const { text, problems, imported } = await read("a/AGENTS.md");
    expect(text.match(/First|Second|Third|example/g)).toEqual(["First", "Second", "Third"]);
    expect(problems).toEqual([]);
    expect(imported).toEqual(["a/b.md a/AGENTS.md a/AGENTS.md", "a/sub/c.md a/b.md a/AGENTS.md"]);
  });

  it("that is imported by what it imports, by a link too, is read once, and that is told", async () => {
    await put("AGENTS.md", "One. @b.md");
    await put("b.md", "Two. @again.md @b.md");
    await symlink(join(base, "project/AGENTS.md"), join(base, "project/again.md"));
    const { text, problems } = await read("AGENTS.md");
    expect(text.match(/One|Two/g)).toEqual(["One", "Two"]);
    expect(problems).toEqual([
      "b.md imports again.md, from which it was imported itself: each is read once.",
      "b.md imports b.md, from which it was imported itself: each is read once.",
    ]);
  });

  it("whose imports reach too deep, or are no text, is read without them, and that is told", async () => {
    await put("AGENTS.md", "0 @1.md @nul.md");
    for (let depth = 1; depth < 9; depth += 1) await put(`${depth}.md`, `${depth} @${depth + 1}.md`);
    await put("nul.md", "\0");
    const { text, problems } = await read("AGENTS.md");
    expect(text).toContain("5 @6.md");
    expect(text).not.toContain("6 @7.md");
    expect(problems).toEqual([
      "5.md imports 6.md, which is left out: imports reach too deep.",
      "nul.md is left out: it holds a NUL byte, or other bytes that are not text.",
    ]);
  });

  it("asks in vain, and without a word, for folders, what is not there, lies elsewhere, is forbidden or of dependencies", async () => {
    await writeFile(join(base, "secret.md"), "A secret.");
    await put("src/x.ts", "");
    await put(".env", "KEY");
    await put("node_modules/p/AGENTS.md", "Of a dependency.");
    await put("AGENTS.md", "Ask @someone @src @../secret.md @~/x @.env @node_modules/p/AGENTS.md");
    const { text, problems } = await read("AGENTS.md", (path) => path.endsWith(".env"));
    expect(text).toBe("Ask @someone @src @../secret.md @~/x @.env @node_modules/p/AGENTS.md");
    expect(problems).toEqual([]);
  });

  it("that is too long, alone or with what it imports, is cut, and that is told", async () => {
    await put("AGENTS.md", "word ".repeat(9000));
    expect((await read("AGENTS.md")).problems).toEqual([
      "AGENTS.md is longer than 40,000 characters: the rest is left out.",
    ]);
    await put("b/AGENTS.md", `${"word ".repeat(5000)}\n@c.md`);
    await put("b/c.md", "word ".repeat(5000));
    const { text, problems } = await read("b/AGENTS.md");
    expect(text).toHaveLength(40_000);
    expect(problems).toEqual(["b/AGENTS.md is longer than 40,000 characters: the rest is left out."]);
  });

  it("that cannot be read says why, unless a rule forbids it", async () => {
    await put("AGENTS.md", "\0");
    expect(await read("AGENTS.md")).toMatchObject({
      text: "binary",
      problems: [expect.stringContaining("NUL")],
    });
    expect(await read("AGENTS.md", () => true)).toMatchObject({ problems: [] });
    expect(await read("none/AGENTS.md")).toMatchObject({ text: "gone", problems: [] });
  });
});

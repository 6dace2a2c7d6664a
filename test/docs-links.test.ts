import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Every page of the repository. */
const pages = [
  "",
  "docs",
  "docs/decisions",
  "docs/reference",
  "packages/core",
  "packages/palimpsest",
].flatMap((folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder))
        .filter((name) => name.endsWith(".md"))
        .map((name) => join(folder, name))
    : [],
);

/** A page without what is shown as code: brackets there are no links. */
const proseOf = (page: string): string =>
  readFileSync(join(root, page), "utf8")
    .replaceAll(/^(`{3,})[\s\S]*?^\1/gm, "")
    .replaceAll(/`[^`\n]*`/g, "code");

/** The links of a page that lead to something in the repository. */
const linksOf = (page: string): readonly string[] =>
  [...proseOf(page).matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));

/** The names by which the headings of a page are reached. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const text = readFileSync(page, "utf8").replaceAll(/^(`{3,})[\s\S]*?^\1/gm, "");
  for (const [, heading = ""] of text.matchAll(/^#{1,6}\s+(.+?)\s*$/gm)) {
    const name = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    let unique = name;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${name}-${count}`;
    anchors.add(unique);
  }
  for (const [, id = ""] of text.matchAll(/<a id="([^"]+)">/g)) anchors.add(id);
  return anchors;
}

function problemOf(page: string, link: string): string | undefined {
  const [path = "", anchor] = decodeURI(link).split("#");
  const target = path === "" ? join(root, page) : join(root, dirname(page), path);
  if (relative(root, target).startsWith("..")) return `${link}: leads out of the repository`;
  if (!existsSync(target)) return `${link}: there is no such file`;
  if (anchor === undefined || !target.endsWith(".md") || statSync(target).isDirectory()) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : `${link}: that page has no such heading`;
}

describe("links inside the repository", () => {
  it("are found at all", () => {
    expect(pages.flatMap((page) => linksOf(page)).length).toBeGreaterThan(100);
    expect(problemOf("README.md", "docs/no-such-page.md")).toContain("no such file");
    expect(problemOf("README.md", "docs/proof.md#no-such-heading")).toContain("no such heading");
  });

  it.each(pages)("%s leads only to what is there", (page) => {
    expect(linksOf(page).flatMap((link) => problemOf(page, link) ?? [])).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { fileAccessContract, type FileHarness } from "../../../../core/src/testing/file-access-contract.js";
import { createFileShelf } from "./file-shelf.js";
import { learnLines, wholeFile } from "./known-file.js";

function createHarness(): FileHarness {
  const files = createFileShelf();
  let changes = 0;
  return {
    files,
    path: (name) => `/${name}`,
    async write(name, content) {
      files.put(`/${name}`, wholeFile(content), (changes += 1));
    },
    async remove(name) {
      files.remove(`/${name}`);
    },
  };
}

describe("file access contract: files of a recording", () => {
  for (const requirement of fileAccessContract) {
    it(requirement.name, () => requirement.run(createHarness));
  }
});

describe("files of a recording", () => {
  it("the least recently put go first, by number and by size", () => {
    const dropped: string[] = [];
    const shelf = createFileShelf({
      maxFiles: 2,
      maxCharacters: 10,
      onDrop: (path) => void dropped.push(path),
    });
    shelf.put("/a", wholeFile("a"), 1);
    shelf.put("/b", wholeFile("b"), 1);
    shelf.put("/a", wholeFile("aa"), 2);
    shelf.put("/c", wholeFile("c"), 3);
    shelf.put("/d", wholeFile("0123456789"), 4);
    expect(dropped).toEqual(["/b", "/a", "/c"]);
    shelf.put("/e", wholeFile("0123456789a"), 5);
    expect(shelf.size()).toEqual({ files: 0, characters: 0 });
  });

  it("what is asked for beyond what is known is cut, what is not known is unreadable", async () => {
    const shelf = createFileShelf();
    shelf.put("/a", learnLines(undefined, { first: 3, text: "c\nd\n", endsFile: false }), 1);
    expect(await shelf.read("/a", { offset: 3, limit: 2 })).toMatchObject({
      content: "3\tc\n4\td",
      isTruncated: false,
    });
    expect(await shelf.read("/a", { offset: 4 })).toMatchObject({ content: "4\td", isTruncated: true });
    expect(await shelf.read("/a")).toEqual({ kind: "unreadable" });
  });

  it("Windows does not tell cases apart", () => {
    const shelf = createFileShelf();
    shelf.put(String.raw`D:\a\B.go`, wholeFile("b"), 1);
    expect(shelf.get("d:/A/b.go")).toEqual(wholeFile("b"));
    expect(shelf.nameOf("d:/A/b.go")).toBe(String.raw`D:\a\B.go`);
  });
});

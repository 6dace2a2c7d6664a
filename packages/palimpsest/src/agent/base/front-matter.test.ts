import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrontMatter, textList } from "./front-matter.js";

describe("front matter", () => {
  it.each([
    ["no front matter", {}, "no front matter"],
    ["---\nname: a\n---\nbody", { name: "a" }, "body"],
    ["---\r\nname: a\r\nflag: true\r\n---\r\nbody", { name: "a", flag: true }, "body"],
    ["---\ndescription: Use this: when\n---\n", { description: "Use this: when" }, ""],
    ['---\ndescription: "quoted: yes"\n---\nb', { description: "quoted: yes" }, "b"],
    ["---\nlist:\n  - a\n  - b\n---\nb", { list: ["a", "b"] }, "b"],
    ["---\ntext: >\n  two\n  lines\n---\nb", { text: "two lines\n" }, "b"],
    ["---\ntools: [Read, Bash]\n---\nb", { tools: ["Read", "Bash"] }, "b"],
    [
      "---\nname: x\ndescription: Use: when [broken\n  more: [\n---\nb",
      { name: "x", description: "Use: when [broken more: [" },
      "b",
    ],
    ["---\nname: open", {}, "---\nname: open"],
    ["---\n---\nb", {}, "b"],
    ["text\n---\nname: a\n---", {}, "text\n---\nname: a\n---"],
  ])("%j", async (text, fields, body) => {
    expect(await readFrontMatter(text)).toEqual({ fields, body });
  });

  it("runs nothing, and a bomb of aliases does not go off", async () => {
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
      .split("")
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefg"[at]}`).join(",")}]`)
      .join("\n")}\n---\nbody`;
    expect((await readFrontMatter(bomb)).body).toBe("body");
    const code = "---js\nprocess.exit(1)\n---\nbody";
    expect(await readFrontMatter(code)).toEqual({ fields: {}, body: code });
  });

  it("never rejects", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        await readFrontMatter(`---\n${text}\n---\nbody`);
      }),
    );
  });
});

it("lists are lists or texts with commas", () => {
  expect(textList("Read, Bash(git add:*, git diff:*) , ")).toEqual(["Read", "Bash(git add:*, git diff:*)"]);
  expect(textList("src/*.{ts,tsx}, b")).toEqual(["src/*.{ts,tsx}", "b"]);
  expect(textList(["a", 1, " b "])).toEqual(["a", "b"]);
  expect(textList(5)).toBeUndefined();
});

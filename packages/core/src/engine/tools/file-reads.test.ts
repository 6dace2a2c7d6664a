import { describe, expect, it } from "vitest";
import { fileReadsOf, showsFile } from "./file-reads.js";

describe("what a call reads", () => {
  it.each<[unknown, unknown]>([
    [{ file_path: "/a" }, [{ path: "/a", isWhole: true }]],
    [{ path: "/a", offset: null }, [{ path: "/a", isWhole: true }]],
    [{ file_path: "/a", offset: 10 }, [{ path: "/a", isWhole: false }]],
    [{ path: "/a", view_range: [1, 2] }, [{ path: "/a", isWhole: false }]],
    [
      { paths: ["/a", "/b", 3] },
      [
        { path: "/a", isWhole: true },
        { path: "/b", isWhole: true },
      ],
    ],
    [{ command: "ls" }, []],
    [null, []],
    ["/a", []],
  ])("%j", (input, reads) => {
    expect(fileReadsOf(input)).toEqual(reads);
  });

  const result = (content: string, more: object = {}) =>
    ({ type: "tool_result", tool_use_id: "t", content, ...more }) as const;

  it("an error and the stub for an unchanged file show nothing", () => {
    expect(showsFile(result("1 text"))).toBe(true);
    expect(showsFile(result("no such file", { is_error: true }))).toBe(false);
    expect(showsFile(result("File unchanged since last read. Refer to it."))).toBe(false);
    expect(
      showsFile({
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "text", text: "File is unchanged" }],
      }),
    ).toBe(false);
    expect(showsFile({ type: "tool_result", tool_use_id: "t" })).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { createVirtualTerminal } from "../soak/virtual-terminal.mjs";
import { ScreenWriter } from "../packages/palimpsest/src/cli/screen/writer/screen-writer.js";

async function stage({ columns = 30, rows = 8, reflows = true } = {}) {
  const terminal = createVirtualTerminal({ columns, rows });
  let written = "";
  let all = "";
  const writer = new ScreenWriter({
    sink: {
      write: (text) => {
        written += text;
        all += text;
      },
    },
    size: () => ({ columns: terminal.columns(), rows: terminal.rows() }),
    reflows,
  });
  const settle = async (): Promise<string> => {
    const now = written;
    written = "";
    await terminal.write(now);
    return now;
  };
  const seen = (): readonly string[] =>
    [...terminal.scrollback(), ...terminal.screen()].join("\n").trimEnd().split("\n");
  return { terminal, writer, settle, seen, all: () => all };
}

describe("the writer of the screen", () => {
  it("writes what is finished once, and the live area below it", async () => {
    const { writer, settle, seen, terminal } = await stage();
    writer.draw(["one", "two"], ["live", "> "], { row: 1, column: 2 });
    await settle();
    expect(seen()).toEqual(["one", "two", "live", ">"]);
    expect(terminal.cursor()).toEqual({ row: 3, column: 2 });
    writer.draw(["three"], ["alive", "> a"], { row: 1, column: 3 });
    await settle();
    expect(seen()).toEqual(["one", "two", "three", "alive", "> a"]);
    expect(terminal.cursor()).toEqual({ row: 4, column: 3 });
  });

  it("writes nothing where nothing has changed", async () => {
    const { writer, settle } = await stage();
    writer.draw([], ["a", "b"], { row: 1, column: 0 });
    await settle();
    writer.draw([], ["a", "b"], { row: 1, column: 0 });
    expect(await settle()).toBe("");
  });

  it("keeps everything in order where the screen scrolls", async () => {
    const { writer, settle, seen, all } = await stage();
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`);
    for (const line of lines) {
      writer.draw([line], ["work", `> ${line}`], { row: 1, column: 2 });
      await settle();
    }
    expect(seen()).toEqual([...lines, "work", "> line 49"]);
    expect(all()).not.toMatch(/\u001b\[[23]J/);
  });

  it("takes away what the live area has less than before", async () => {
    const { writer, settle, seen } = await stage();
    writer.draw(["x"], ["a", "b", "c", "d"], { row: 3, column: 0 });
    await settle();
    writer.draw([], ["a"], { row: 0, column: 1 });
    await settle();
    expect(seen()).toEqual(["x", "a"]);
    writer.draw(["y"], [], undefined);
    await settle();
    expect(seen()).toEqual(["x", "y"]);
  });

  it("finds its live area again where the terminal has wrapped it anew", async () => {
    const { writer, settle, seen, terminal } = await stage({ columns: 40, rows: 10 });
    writer.draw(["committed"], ["x".repeat(40), "y".repeat(30), "> z"], { row: 2, column: 3 });
    await settle();
    terminal.resize(20, 10);
    writer.draw([], ["x".repeat(20), "> z"], { row: 1, column: 3 });
    await settle();
    expect(seen()).toEqual(["committed", "x".repeat(20), "> z"]);
  });

  it("lets nothing but letters and styles through", async () => {
    const { writer, settle, seen, terminal } = await stage({ columns: 100 });
    writer.draw(["\u001b]0;owned\u0007a\u001b[2Jb\u009b31mc \u001b[1mbold\u001b[22m"], ["> "], {
      row: 0,
      column: 2,
    });
    const text = await settle();
    expect(terminal.title()).toBe("");
    expect(seen()[0]).toBe("\\u001b]0;owned\\u0007a\\u001b[2Jb\\u009b31mc bold");
    expect(text).not.toContain("\u001b[2J");
  });

  it("shows the cursor again when it leaves", async () => {
    const { writer, settle } = await stage();
    writer.draw([], ["a"], undefined);
    expect(await settle()).toContain("\u001b[?25l");
    writer.leave();
    expect(await settle()).toContain("\u001b[?25h");
  });
});

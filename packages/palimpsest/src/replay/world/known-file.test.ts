import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProperty } from "../../testing/check-property.js";
import { editFile, learnLines, linesFrom, wholeFile, wholeText, type KnownFile } from "./known-file.js";

const part = (first: number, text: string) => ({ first, text, endsFile: false });
const edit = (oldText: string, newText: string, isAll = false) => ({ oldText, newText, isAll });

describe("what is known of a file", () => {
  it("parts that touch or overlap become one, others leave a gap", () => {
    const file = learnLines(learnLines(undefined, part(1, "a\nb\n")), part(5, "e\nf\n"));
    expect(file.runs.map(({ first, count }) => [first, count])).toEqual([
      [1, 2],
      [5, 2],
    ]);
    const joined = learnLines(file, part(2, "b\nc\nd\n"));
    expect(joined).toEqual({ runs: [{ first: 1, count: 6, text: "a\nb\nc\nd\ne\nf\n" }], isEndKnown: false });
    expect(wholeText(joined)).toBeUndefined();
    expect(wholeText(learnLines(joined, { first: 6, text: "f\ng", endsFile: true }))).toBe(
      "a\nb\nc\nd\ne\nf\ng",
    );
  });

  it("a line in a gap is not known, one behind the end is nothing", () => {
    const file = learnLines(learnLines(undefined, part(1, "a\n")), { first: 3, text: "c", endsFile: true });
    expect(linesFrom(file, 2)).toBeUndefined();
    expect(linesFrom(file, 9)).toEqual({ lines: [], endsFile: true });
    expect(linesFrom(file, 3)).toEqual({ lines: ["c"], endsFile: true });
  });

  it("lines that contradict take the place of those that stood there", () => {
    const before = wholeFile("a\nb\nc\nd\ne\nf\n");
    const file = learnLines(before, part(2, "new\nb\nc\nd\n"));
    expect(wholeText(file)).toBe("a\nnew\nb\nc\nd\ne\nf\n");
    expect(wholeText(learnLines(before, { first: 2, text: "x", endsFile: true }))).toBe("a\nx");
    expect(learnLines(before, part(5, "e\nf\ng\n")).isEndKnown).toBe(false);
  });

  it("an edit that does not occur, or more than once, does not fit", () => {
    const file = wholeFile("one\ntwo\ntwo\n");
    expect(editFile(file, edit("three", "x"))).toBeUndefined();
    expect(editFile(file, edit("two", "x"))).toBeUndefined();
    expect(editFile(file, edit("", "x"))).toBeUndefined();
    expect(editFile(file, edit("two", "$& $1", true))?.file).toEqual(wholeFile("one\n$& $1\n$& $1\n"));
  });

  it("an edit that would make too much of a file does not fit", () => {
    const file = wholeFile("a".repeat(100_000));
    expect(editFile(file, edit("a", "b".repeat(100_000), true))).toBeUndefined();
  });

  it("what stands behind an edit moves", () => {
    const file = learnLines(learnLines(undefined, part(1, "a\nb\n")), part(9, "i\n"));
    const edited = editFile(file, edit("b\n", "b1\nb2\nb3\n"));
    expect(edited?.run).toEqual({ first: 1, count: 4, text: "a\nb1\nb2\nb3\n" });
    expect(edited?.file.runs[1]).toEqual({ first: 11, count: 1, text: "i\n" });
  });

  const step = fc.record({
    isEdit: fc.boolean(),
    at: fc.nat(40),
    length: fc.integer({ min: 1, max: 12 }),
    lines: fc.nat(3),
  });

  it("whatever is read and edited, what is known is what stands in the file", () => {
    checkProperty(
      "known lines are the file's",
      fc.tuple(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 25 })),
      ([size, steps]) => {
        let truth = Array.from({ length: size }, (_, line) => `line ${line};`);
        let file: KnownFile | undefined;
        let made = 0;
        for (const { isEdit, at, length, lines } of steps) {
          const from = truth.length === 0 ? 0 : at % truth.length;
          const slice = truth.slice(from, from + length);
          if (slice.length === 0) continue;
          const old = slice.join("\n");
          if (!isEdit) {
            const endsFile = from + length > truth.length;
            file = learnLines(file, { first: from + 1, text: endsFile ? old : `${old}\n`, endsFile });
            continue;
          }
          const added = Array.from({ length: lines + 1 }, () => `made ${(made += 1)};`);
          const edited = file && editFile(file, edit(old, added.join("\n")));
          if (edited === undefined) continue;
          truth = truth.toSpliced(from, slice.length, ...added);
          file = edited.file;
        }
        for (const run of file?.runs ?? []) {
          const lines = run.text.split("\n").slice(0, run.count);
          expect(lines).toEqual(truth.slice(run.first - 1, run.first - 1 + run.count));
        }
        if (file?.isEndKnown === true)
          expect(
            file.runs
              .at(-1)
              ?.text.trimEnd()
              .endsWith(truth.at(-1) ?? ""),
          ).toBe(true);
      },
    );
  });
});

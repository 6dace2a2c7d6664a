import { describe, expect, it } from "vitest";
import { glyphs } from "../packages/palimpsest/src/cli/screen/lines/glyphs.js";
import { itemLines } from "../packages/palimpsest/src/cli/screen/lines/item-lines.js";
import { statusLine } from "../packages/palimpsest/src/cli/screen/lines/status-line.js";
import type { Status } from "../packages/palimpsest/src/cli/screen/state/status.js";
import { asciiLine, takesUtf8 } from "../packages/palimpsest/src/cli/screen/text/ascii.js";
import { widthOf } from "../packages/palimpsest/src/cli/screen/text/width.js";
import { themeNamed, themeOn } from "../packages/palimpsest/src/cli/screen/theme.js";
import { ChoiceView, type Chosen } from "../packages/palimpsest/src/cli/screen/views/choice-view.js";
import { PickView } from "../packages/palimpsest/src/cli/screen/views/pick-view.js";

const theme = themeNamed("dark", { env: {}, hasColours: false });
const look = { width: 60, theme, glyphs };

function ask(isMultiple: boolean) {
  const answers: (Chosen | undefined)[] = [];
  const view = new ChoiceView({
    theme: () => theme,
    rows: () => 30,
    onChange: () => {},
    about: () => ["What?"],
    choices: [
      { value: "a", label: "one" },
      { value: "b", label: "two" },
      { value: "c", label: "own words", words: "Which?" },
    ],
    isMultiple,
    onChosen: (chosen) => answers.push(chosen),
  });
  return { view, answers, text: () => view.render(look, 20).lines.join("\n") };
}

describe("a question", () => {
  it("is answered by enter, by a figure, by words, or called off", () => {
    const { view, answers, text } = ask(false);
    view.handleInput("\u001b[B");
    view.handleInput("\r");
    view.handleInput("1");
    view.handleInput("3");
    expect(text()).toContain("Which?");
    for (const key of ["h", "i", "\r"]) view.handleInput(key);
    view.handleInput("\u001b");
    view.handleInput("\u001b");
    expect(answers).toEqual([
      { values: ["b"] },
      { values: ["a"] },
      { values: ["c"], words: "hi" },
      undefined,
    ]);
  });

  it("takes several answers where several are meant, and keeps its place", () => {
    const { view, answers, text } = ask(true);
    view.handleInput(" ");
    view.handleInput("\u001b[B");
    view.handleInput(" ");
    expect(text()).toMatch(/\[x\] 1\. one[^]*→ \[x\] 2\. two/);
    view.handleInput("1");
    view.handleInput("\r");
    expect(answers).toEqual([{ values: ["b"] }]);
  });
});

it("a list is searched by typing, and by nothing that is no letter", () => {
  const picked: (string | undefined)[] = [];
  const view = new PickView({
    theme: () => theme,
    title: "which?",
    items: [
      { value: "1", label: "about whales" },
      { value: "2", label: "about stars" },
    ],
    onPicked: (value) => picked.push(value),
  });
  for (const key of ["s", "t", "a", "r", "\u001b[C", "\u007f", "\u007f"]) view.handleInput(key);
  expect(view.render(look).lines.join("\n")).toMatch(/❯ st\n→ about stars/);
  view.handleInput("\r");
  view.handleInput("\u001b");
  expect(picked).toEqual(["2", undefined]);
});

describe("a list that is searched", () => {
  const look = { width: 100, theme: themeNamed("dark", { env: {}, hasColours: false }), glyphs };
  const seen = (view: PickView, width = 100): readonly string[] =>
    view.render({ ...look, width }).lines.map((line) => line.trimEnd());

  it("says that nothing was found, and how to leave it where there is little room", () => {
    const items = ["one", "two"].map((label) => ({ value: label, label }));
    const view = new PickView({ theme: () => look.theme, title: "which?", items, onPicked: () => {} });
    expect(seen(view).at(-1)).toBe("type to search · enter picks · esc calls it off");
    expect(seen(view, 40).at(-1)).toBe("enter picks · esc calls it off");
    view.handleInput("zzz");
    expect(seen(view)).toContain("  nothing found");
    expect(seen(view).join("\n")).not.toContain("commands");
  });

  it("takes what comes later, keeps what was chosen, and finds it by search", async () => {
    const items = ["one", "two"].map((label) => ({ value: label, label }));
    let give: (more: readonly { readonly value: string; readonly label: string }[]) => void = () => {};
    let changes = 0;
    const picked: (string | undefined)[] = [];
    const view = new PickView({
      theme: () => look.theme,
      title: "which?",
      items,
      more: new Promise((resolve) => (give = resolve)),
      onChange: () => (changes += 1),
      onPicked: (value) => picked.push(value),
    });
    view.handleInput("\u001b[B");
    give([{ value: "three", label: "elsewhere: three" }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(changes).toBe(1);
    expect(seen(view).filter((line) => line.startsWith("→"))).toEqual(["→ two"]);
    view.handleInput("three");
    view.handleInput("\r");
    expect(picked).toEqual(["three"]);
  });
});

describe("what is made of the context", () => {
  it("has a legend none of whose entries is parted", () => {
    const theme = themeNamed("dark", { env: {}, hasColours: false });
    const parts = [
      "system prompt and tools",
      "what people said",
      "answers",
      "calls of Read",
      "results of Read",
    ];
    const item = { kind: "grid", parts: parts.map((name) => ({ name, tokens: 10 })), limit: 1000 } as const;
    for (let width = 40; width <= 120; width += 1) {
      const lines = itemLines(item, { width, theme, glyphs });
      expect(lines.every((line) => widthOf(line) <= width)).toBe(true);
      expect(lines.some((line) => line.endsWith("░ left until it is compacted"))).toBe(true);
    }
  });
});

describe("the line that is always in sight", () => {
  const status: Status = {
    model: "claude-sonnet-5",
    mode: "plan",
    tokens: 114_000,
    limit: 167_000,
    pressure: "warn",
    warmUntil: Date.parse("2026-11-16T14:32:00"),
    isWarm: true,
    next: { warm: 0.02, cold: 0.31 },
    compacting: { dollars: 0.06, dropped: 92_000 },
    spent: 1.84,
  };

  it("says what is left until the size at which it is compacted, wherever that is now", () => {
    const meter = (tokens: number): string =>
      statusLine({ ...status, tokens, limit: 87_000 }, { ...look, width: 40 });
    expect(meter(43_000)).toContain("43K/87K 51% left");
    expect(meter(90_000)).toContain("90K/87K 0% left");
  });

  it("says all of it where there is room", () => {
    expect(statusLine(status, { ...look, width: 140 })).toBe(
      "sonnet-5 · 114K/167K 32% left · warm until 14:32 · next $0.02, cold $0.31 · compact $0.06 drops 92K · $1.84 so far · plan",
    );
  });

  it.each([100, 60, 40, 20, 8])("fits into %d columns, and keeps the meter", (width) => {
    const line = statusLine(status, { ...look, width });
    expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(line).toMatch(/^(?:sonnet-5 · )?114K/);
  });

  it("says since when the cache is cold", () => {
    expect(statusLine({ ...status, isWarm: false }, { ...look, width: 140 })).toContain("cold since 14:32");
  });
});

it.each([
  [{ LANG: "en_US.UTF-8" }, true],
  [{ LANG: "en_US.UTF-8", LC_ALL: "C" }, false],
  [{ LC_CTYPE: "C.utf8", LANG: "C" }, true],
  [{}, true],
])("a terminal with %j takes UTF-8: %s", (env, takes) => {
  expect(takesUtf8(env)).toBe(takes);
});

it("spells out what has a plain spelling, and asks for the rest", () => {
  expect(asciiLine("“a” → b … 日本 ✓")).toBe('"a" -> b ... ?? ok');
});

it("a theme is for the background that it stands on", () => {
  const [light, dark] = [themeOn({ r: 250, g: 250, b: 240 }), themeOn({ r: 20, g: 20, b: 30 })];
  expect(themeNamed("auto", { env: { COLORFGBG: "0;15" }, hasColours: true })).toBe(light);
  expect(themeNamed("auto", { env: { COLORFGBG: "15;0" }, hasColours: true })).toBe(dark);
  expect(themeNamed("light", { env: {}, hasColours: false }).bad("x")).toBe("x");
});
